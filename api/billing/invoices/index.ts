// Entry point of invoices.
export { finalizeInvoice } from './finalize.ts'
export { invoiceRoutes } from './routes.ts'
export {
  countInvoices,
  endBaseWaiver,
  findAnyInvoice,
  findInvoice,
  type InvoiceChange,
  insertInvoice,
  insertLines,
  invoicedCurrency,
  isAsked,
  isBaseWaived,
  listLines,
  lockInvoice,
  moveBaseWaiver,
  type NewInvoice,
  oldestOverdue,
  saveInvoice,
} from './store.ts'
export { type InvoiceLineRow, type InvoiceRow, invoiceView, lineView } from './view.ts'
