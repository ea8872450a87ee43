// A capture given back. Chosen: never more than was captured, but where no capture came it is yet to come and the whole amount is
// kept for it.
import { type Change, changed, hasUnconverted, type Standing, sumsOf } from './change.ts'

/** Gives back `amountCents` of what was captured. The hold is not restored. */
export function captureReversal(standing: Standing | null, amountCents: number): Change {
  const sums = sumsOf(standing)
  const { captured, captureReversed: before } = sums
  const isEarly = captured === 0 && !hasUnconverted(standing)
  const givenBack = isEarly ? amountCents : Math.min(amountCents, captured - before)
  return changed(standing, {
    event: 'reversed',
    amountCents: Math.max(0, givenBack),
    sums: { ...sums, captureReversed: before + Math.max(0, givenBack) },
  })
}
