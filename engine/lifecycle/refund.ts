// A refund: the merchant returns money, or gives a credit without a known transaction. Spend
// windows are not restored.
import { TRANSACTION_FLAGS } from '../../shared/transaction-sums.ts'
import { type Change, changed, type TransactionState, unlinkedBy } from './change.ts'
import { settled, settlementOf } from './early-reversals.ts'

/**
 * Credits `amountCents` to the cardholder, even more than was ever captured. `named`: the message
 * names its transaction.
 */
export function refund(
  transaction: TransactionState | null,
  amountCents: number,
  named: boolean,
): Change {
  const { sums: before, early } = settlementOf(transaction)
  const sums = { ...before, refunded: before.refunded + amountCents }
  return changed(transaction, {
    event: 'refunded',
    amountCents,
    ...settled({ sums, early }),
    clear: TRANSACTION_FLAGS.declined,
    set: unlinkedBy(transaction, named),
  })
}
