// A refund: the merchant gives back what it took, or a credit that belongs to nothing we know. Spend windows are not restored.
import { TRANSACTION_FLAGS } from '../../shared/transaction-sums.ts'
import { type Change, changed, type Standing, sumsOf } from './change.ts'

const { declined, unlinked } = TRANSACTION_FLAGS

/** Gives `amountCents` to the cardholder, also more than was ever captured. */
export function refund(standing: Standing | null, amountCents: number): Change {
  const sums = sumsOf(standing)
  return changed(standing, {
    event: 'refunded',
    amountCents,
    sums: { ...sums, refunded: sums.refunded + amountCents },
    clear: declined,
    set: standing === null ? unlinked : 0,
  })
}
