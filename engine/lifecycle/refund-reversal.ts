// A refund taken back. Chosen: never more than was refunded, but where no refund came it is yet to come and the whole amount is
// kept for it.
import {
  type Change,
  changed,
  hasUnconverted,
  type Standing,
  sumsOf,
  unlinkedBy,
} from './change.ts'

/** Takes `amountCents` of what was refunded back. `named`: it says of which transaction. */
export function refundReversal(
  standing: Standing | null,
  amountCents: number,
  named: boolean,
): Change {
  const sums = sumsOf(standing)
  const { refunded, refundReversed: before } = sums
  const isEarly = refunded === 0 && !hasUnconverted(standing)
  const takenBack = isEarly ? amountCents : Math.min(amountCents, refunded - before)
  return changed(standing, {
    event: 'refunded',
    amountCents: Math.max(0, takenBack),
    sums: { ...sums, refundReversed: before + Math.max(0, takenBack) },
    set: unlinkedBy(standing, named),
  })
}
