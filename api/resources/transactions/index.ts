// The door of card transactions.
export { type TransactionRow, transactionSource, transactionView } from './view.ts'
