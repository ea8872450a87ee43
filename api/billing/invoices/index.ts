// Entry point of invoices.
export { finalizeInvoice } from './finalize.ts'
export { invoiceRoutes } from './routes.ts'
export {
  countInvoices,
  endBaseWaiver,
  findAnyInvoice,
  findInvoice,
  hasOverdueInvoice,
  type InvoiceChange,
  insertInvoice,
  insertLines,
  invoicedCurrency,
  isBaseWaived,
  listLines,
  lockInvoice,
  moveBaseWaiver,
  type NewInvoice,
  saveInvoice,
} from './store.ts'
export { type InvoiceLineRow, type InvoiceRow, invoiceView, lineView } from './view.ts'
