// An expired hold: the rest of it is released.
import { openHold } from '../../shared/transaction-sums.ts'
import { type Change, changed, type TransactionState } from './change.ts'

/** Ends the open hold. */
export function expire(transaction: TransactionState): Change {
  const held = openHold(transaction.sums)
  return changed(transaction, {
    event: 'reversed',
    amountCents: held,
    sums: { ...transaction.sums, expired: transaction.sums.expired + held },
  })
}
