// A capture given back. Chosen: never more than was captured, but where nothing was captured the capture is yet to come and
// the whole amount is kept for it.
import { type Change, changed, type Standing } from './change.ts'

/** Gives back `amountCents` of what was captured. The hold is not restored. */
export function captureReversal(standing: Standing | null, amountCents: number): Change {
  const captured = standing?.sums.captured ?? 0
  const before = standing?.sums.captureReversed ?? 0
  const givenBack = captured === 0 ? amountCents : Math.min(amountCents, captured - before)
  return changed(standing, {
    event: 'reversed',
    amountCents: Math.max(0, givenBack),
    sums: { captureReversed: before + Math.max(0, givenBack) },
  })
}
