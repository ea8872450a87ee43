// The states of a card transaction in this version: decided, one way or the other.
export const TRANSACTION_STATUSES = ['authorized', 'declined'] as const
export type TransactionStatus = (typeof TRANSACTION_STATUSES)[number]
