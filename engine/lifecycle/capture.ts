// A capture: the merchant takes the money. The engine always accepts it, whatever was authorized,
// and flags anything unusual.
import { openHold, TRANSACTION_FLAGS } from '../../shared/transaction-sums.ts'
import { type Change, changed, ONLY_REFUNDS, type TransactionState } from './change.ts'
import { settled, settlementOf } from './early-reversals.ts'

const FLAGS = TRANSACTION_FLAGS

/**
 * Captures `amountCents`. After the merchant's last capture (`final`) the rest of the hold is
 * released.
 */
export function capture(
  transaction: TransactionState | null,
  amountCents: number,
  final: boolean,
): Change {
  const { sums: before, early } = settlementOf(transaction)
  const sums = { ...before, captured: before.captured + amountCents }
  if (final) sums.released += openHold(sums)
  return changed(transaction, {
    event: 'captured',
    amountCents,
    ...settled({ sums, early }),
    clear: FLAGS.declined | ONLY_REFUNDS,
    set: circumstance(transaction) | (final ? FLAGS.final : 0),
  })
}

/**
 * Returns as a flag why the capture had no hold; 0 if there was one, or if the merchant only
 * captured too much.
 */
export function circumstance(transaction: TransactionState | null): number {
  if (transaction === null) return FLAGS.force_post
  const { sums, flags } = transaction
  if (openHold(sums) > 0) return 0
  if ((flags & FLAGS.reversed_before_authorization) !== 0) return FLAGS.captured_after_reversal
  if ((flags & FLAGS.declined) !== 0) return FLAGS.captured_after_decline
  if (sums.expired > 0) return FLAGS.captured_after_expiry
  if (sums.captured === 0 && sums.reversed > 0) return FLAGS.captured_after_reversal
  // An authorization of zero, or a transaction made by notifications only, leaves nothing to
  // capture.
  return sums.authorized === 0 ? FLAGS.force_post : 0
}
