// An advice: the network or the sponsor bank reports a decision that it made in our place. An
// approved amount is held regardless of limits; a declined advice changes nothing.
import { type Sums, TRANSACTION_FLAGS } from '../../shared/transaction-sums.ts'
import { authorized, refused } from './authorization.ts'
import { type Change, changed, ONLY_REFUNDS, promised, type TransactionState } from './change.ts'

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
export function advise(transaction: TransactionState | null, advised: Advised): Change {
  if (!advised.approved) return refused(transaction)
  const { amountCents, holdExpiresAtMs } = advised
  const approval = { approvedCents: amountCents, holdCents: amountCents, holdExpiresAtMs }
  if (transaction === null) return authorized(null, approval)
  const { sums, flags } = transaction
  if ((flags & FLAGS.reversed_before_authorization) !== 0)
    return takenBack(transaction, amountCents)
  if (promised(sums) === 0) return authorized(transaction, approval)
  if (isOver(transaction)) return changed(transaction, { event: 'authorized', amountCents: 0 })
  return changed(transaction, {
    event: 'authorized',
    amountCents,
    sums: { ...sums, adjusted: sums.adjusted + held(sums, amountCents) },
    set: FLAGS.amount_advised,
    holdExpiresAtMs: Math.max(transaction.holdExpiresAtMs, holdExpiresAtMs),
  })
}

/** Records the approved and reversed amount of a transaction whose reversal came first. */
function takenBack(transaction: TransactionState, amountCents: number): Change {
  const { sums } = transaction
  if (promised(sums) > 0) return changed(transaction, { event: 'authorized', amountCents: 0 })
  return changed(transaction, {
    event: 'authorized',
    amountCents,
    sums: { ...sums, authorized: amountCents, reversed: amountCents },
    clear: ONLY_REFUNDS,
  })
}

/** True after the last capture, or after a full reversal without a capture. */
function isOver({ sums, flags }: TransactionState): boolean {
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
