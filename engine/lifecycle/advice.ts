// An advice: the network or the sponsor bank decided in our place and tells us. An approved amount
// is held regardless of limits; a declined advice changes nothing.
import { type Sums, TRANSACTION_FLAGS } from '../../shared/transaction-sums.ts'
import { type Change, changed, ONLY_REFUNDS, promised, type Standing } from './change.ts'
import { authorized, refused } from './question.ts'

const FLAGS = TRANSACTION_FLAGS

export interface Advised {
  approved: boolean
  amountCents: number
  holdExpiresAtMs: number
}

/**
 * Applies an advice to a new transaction, to one already declined, captured or reversed, or as the
 * final amount to one with an open hold. Chosen: after a reversal or the last capture there is
 * nothing left to hold.
 */
export function advise(standing: Standing | null, advised: Advised): Change {
  if (!advised.approved) return refused(standing)
  const { amountCents, holdExpiresAtMs } = advised
  const approval = { approvedCents: amountCents, holdCents: amountCents, holdExpiresAtMs }
  if (standing === null) return authorized(null, approval)
  const { sums, flags } = standing
  if ((flags & FLAGS.reversed_before_authorization) !== 0) return takenBack(standing, amountCents)
  if (promised(sums) === 0) return authorized(standing, approval)
  if (isOver(standing)) return changed(standing, { event: 'authorized', amountCents: 0 })
  return changed(standing, {
    event: 'authorized',
    amountCents,
    sums: { ...sums, adjusted: sums.adjusted + held(sums, amountCents) },
    set: FLAGS.amount_advised,
    holdExpiresAtMs: Math.max(standing.holdExpiresAtMs, holdExpiresAtMs),
  })
}

/** Records the approved and reversed amount of a transaction whose reversal came first. */
function takenBack(standing: Standing, amountCents: number): Change {
  const { sums } = standing
  if (promised(sums) > 0) return changed(standing, { event: 'authorized', amountCents: 0 })
  return changed(standing, {
    event: 'authorized',
    amountCents,
    sums: { ...sums, authorized: amountCents, reversed: amountCents },
    clear: ONLY_REFUNDS,
  })
}

/** True after the last capture, or after a full reversal without a capture. */
function isOver({ sums, flags }: Standing): boolean {
  if ((flags & FLAGS.final) !== 0) return true
  return sums.captured === 0 && sums.reversed >= promised(sums)
}

/**
 * Returns the amount to add so that the final amount, less its captures, is held. Nothing was
 * released yet: the last capture does that.
 */
function held(sums: Sums, finalCents: number): number {
  const left = promised(sums) - sums.reversed - sums.expired - sums.captured
  return Math.max(0, finalCents - sums.captured) - left
}
