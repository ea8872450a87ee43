// A refund: the merchant gives back what it took, or a credit that belongs to nothing we know. Spend windows are not restored.
import { TRANSACTION_FLAGS } from '../../shared/transaction-sums.ts'
import { type Change, changed, type Standing, sumsOf, unlinkedBy } from './change.ts'
import { settled, settlementOf } from './early-reversals.ts'

/** Gives `amountCents` to the cardholder, also more than was ever captured. `named`: it says of which transaction. */
export function refund(standing: Standing | null, amountCents: number, named: boolean): Change {
  const { sums: before, early } = settlementOf(standing, sumsOf(standing))
  const sums = { ...before, refunded: before.refunded + amountCents }
  return changed(standing, {
    event: 'refunded',
    amountCents,
    ...settled({ sums, early }),
    clear: TRANSACTION_FLAGS.declined,
    set: unlinkedBy(standing, named),
  })
}
