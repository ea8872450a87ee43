// Entry point of card transactions.
export { ANSWER_COLUMNS, type AnswerColumn, answerColumn } from './answer-buckets.ts'
export { countsJob } from './fold-counts.ts'
export { purgeUnmatched } from './purge-unmatched.ts'
export { transactionRoutes } from './routes.ts'
export { type StoredTransaction, storedTransactions, TRANSACTION_SPANS } from './store.ts'
export { requestOf, requestView, type TransactionState } from './view.ts'
