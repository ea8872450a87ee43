// The door of card transactions.
export { transactionRoutes } from './routes.ts'
export { type TransactionRow, transactionSource, transactionView } from './view.ts'
