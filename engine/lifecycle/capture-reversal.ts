// The reversal of a capture. Chosen: a reversal of more than was captured waits, because its
// capture has not come yet.
import { type Change, changed, hasUnconverted, type TransactionState } from './change.ts'
import { settlementOf, waiting } from './early-reversals.ts'

/** Returns `amountCents` of the captured amount. The hold is not restored. */
export function captureReversal(transaction: TransactionState | null, amountCents: number): Change {
  const settlement = settlementOf(transaction)
  const { sums, early } = settlement
  const { captured, captureReversed } = sums
  if (amountCents <= captured - captureReversed)
    return changed(transaction, {
      event: 'reversed',
      amountCents,
      sums: { ...sums, captureReversed: captureReversed + amountCents },
      early,
    })
  // The reversal may belong to a capture that could not be converted: neither of them moves a sum.
  if (hasUnconverted(transaction))
    return changed(transaction, { event: 'reversed', amountCents: 0 })
  return changed(transaction, {
    event: 'reversed',
    amountCents,
    ...waiting(settlement, { capture: amountCents, refund: 0 }),
  })
}
