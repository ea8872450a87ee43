// A capture given back. Chosen: one of more than was captured takes nothing back yet, because its
// capture has not come.
import { type Change, changed, hasUnconverted, type Standing, sumsOf } from './change.ts'
import { settlementOf, waiting } from './early-reversals.ts'

/** Returns `amountCents` of the captured amount. The hold is not restored. */
export function captureReversal(standing: Standing | null, amountCents: number): Change {
  const settlement = settlementOf(standing, sumsOf(standing))
  const { sums, early } = settlement
  const { captured, captureReversed } = sums
  if (amountCents <= captured - captureReversed)
    return changed(standing, {
      event: 'reversed',
      amountCents,
      sums: { ...sums, captureReversed: captureReversed + amountCents },
      early,
    })
  // A capture that nobody could convert may be what this takes back: neither of them moves a sum.
  if (hasUnconverted(standing)) return changed(standing, { event: 'reversed', amountCents: 0 })
  return changed(standing, {
    event: 'reversed',
    amountCents,
    ...waiting(settlement, { capture: amountCents, refund: 0 }),
  })
}
