// Entry point of invoices.
export { invoiceRoutes } from './routes.ts'
export {
  findAnyInvoice,
  findInvoice,
  type InvoiceChange,
  insertInvoice,
  insertLines,
  listLines,
  lockInvoice,
  type NewInvoice,
  saveInvoice,
} from './store.ts'
export { type InvoiceLineRow, type InvoiceRow, invoiceView, lineView } from './view.ts'
