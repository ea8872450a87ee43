// A refund taken back. Chosen: one of more than was refunded takes nothing back yet, because its
// refund has not come.
import {
  type Change,
  changed,
  hasUnconverted,
  type TransactionState,
  unlinkedBy,
} from './change.ts'
import { settlementOf, waiting } from './early-reversals.ts'

/** Takes `amountCents` of the refunded amount back. `named`: the message names its transaction. */
export function refundReversal(
  transaction: TransactionState | null,
  amountCents: number,
  named: boolean,
): Change {
  const settlement = settlementOf(transaction)
  const { sums, early } = settlement
  const { refunded, refundReversed } = sums
  const set = unlinkedBy(transaction, named)
  if (amountCents <= refunded - refundReversed)
    return changed(transaction, {
      event: 'refunded',
      amountCents,
      sums: { ...sums, refundReversed: refundReversed + amountCents },
      early,
      set,
    })
  // The reversal may belong to a refund that could not be converted: neither of them moves a sum.
  if (hasUnconverted(transaction))
    return changed(transaction, { event: 'refunded', amountCents: 0, set })
  return changed(transaction, {
    event: 'refunded',
    amountCents,
    ...waiting(settlement, { capture: 0, refund: amountCents }),
    set,
  })
}
