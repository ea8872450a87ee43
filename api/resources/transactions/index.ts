// Entry point of card transactions.
export { transactionRoutes } from './routes.ts'
export { type StoredTransaction, storedTransactions } from './store.ts'
export { questionOf, questionView, type TransactionState } from './view.ts'
