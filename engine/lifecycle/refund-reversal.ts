// A refund taken back. Chosen: never more than was refunded, but where no refund came it is yet to come and the whole amount is
// kept for it.
import { TRANSACTION_FLAGS } from '../../shared/transaction-sums.ts'
import { type Change, changed, hasUnconverted, type Standing, sumsOf } from './change.ts'

/** Takes `amountCents` of what was refunded back. */
export function refundReversal(standing: Standing | null, amountCents: number): Change {
  const sums = sumsOf(standing)
  const { refunded, refundReversed: before } = sums
  const isEarly = refunded === 0 && !hasUnconverted(standing)
  const takenBack = isEarly ? amountCents : Math.min(amountCents, refunded - before)
  return changed(standing, {
    event: 'refunded',
    amountCents: Math.max(0, takenBack),
    sums: { ...sums, refundReversed: before + Math.max(0, takenBack) },
    set: standing === null ? TRANSACTION_FLAGS.unlinked : 0,
  })
}
