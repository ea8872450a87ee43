// A capture: the merchant takes the money. Always accepted, whatever was authorized; what was unusual about it is flagged.
import { openHold, TRANSACTION_FLAGS } from '../../shared/transaction-sums.ts'
import { type Change, changed, ONLY_REFUNDS, type Standing, sumsOf } from './change.ts'
import { settled, settlementOf } from './early-reversals.ts'

const FLAGS = TRANSACTION_FLAGS

/** Takes `amountCents`. After the merchant's last capture (`final`) what is left of the hold is released. */
export function capture(standing: Standing | null, amountCents: number, final: boolean): Change {
  const { sums: before, early } = settlementOf(standing, sumsOf(standing))
  const sums = { ...before, captured: before.captured + amountCents }
  if (final) sums.released += openHold(sums)
  return changed(standing, {
    event: 'captured',
    amountCents,
    ...settled({ sums, early }),
    clear: FLAGS.declined | ONLY_REFUNDS,
    set: circumstance(standing) | (final ? FLAGS.final : 0),
  })
}

/** Why there was no hold for it, as a flag; 0 where there was, or where the merchant only took too much of one. */
export function circumstance(standing: Standing | null): number {
  if (standing === null) return FLAGS.force_post
  const { sums, flags } = standing
  if (openHold(sums) > 0) return 0
  if ((flags & FLAGS.reversed_before_authorization) !== 0) return FLAGS.captured_after_reversal
  if ((flags & FLAGS.declined) !== 0) return FLAGS.captured_after_decline
  if (sums.expired > 0) return FLAGS.captured_after_expiry
  if (sums.captured === 0 && sums.reversed > 0) return FLAGS.captured_after_reversal
  // An authorization of nothing, or a record that only facts made: there is nothing this could be a capture of.
  return sums.authorized === 0 ? FLAGS.force_post : 0
}
