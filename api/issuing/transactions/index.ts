// Entry point of card transactions.
export { transactionRoutes } from './routes.ts'
export { type StoredTransaction, storedTransactions } from './store.ts'
export { requestOf, requestView, type TransactionState } from './view.ts'
