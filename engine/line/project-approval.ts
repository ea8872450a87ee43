// The effect of an approval on the transaction: the controls judge it, the windows reserve it, and
// the entry records it.
import { isCredit } from '../../shared/authorization-kind.ts'
import { countedAmount, TRANSACTION_FLAGS } from '../../shared/transaction-sums.ts'
import { authorized, incremented } from '../lifecycle/authorization.ts'
import type { Change, TransactionState } from '../lifecycle/change.ts'
import { holdEnd } from '../lifecycle/hold-expiry.ts'
import { holdCents } from '../rules/hold.ts'
import { addedCount, type Judged } from '../rules/rule.ts'

/**
 * Returns the transaction after an approval of `approvedCents`. Chosen: a credit holds nothing; the
 * refund that follows posts it.
 */
export function approvedChange(
  judged: Judged,
  transaction: TransactionState | null,
  approvedCents: number,
  nowMs: number,
): Change {
  const { message, program } = judged
  const cents = isCredit(message) ? 0 : approvedCents
  const approval = {
    approvedCents: cents,
    holdCents: holdCents(judged, cents),
    holdExpiresAtMs: holdEnd(message, program, nowMs),
  }
  return transaction !== null && message.kind === 'incremental'
    ? incremented(transaction, approval)
    : authorized(transaction, approval)
}

type ApprovalInputs = Pick<Judged, 'message' | 'cardAmountCents' | 'chainCents'>

/**
 * Returns the input of the controls: for an increment it includes the approved amount of the
 * transaction and the pending raises of others. If a message adds less than it requests, only the
 * added amount counts; the rest is part of the whole.
 */
export function projectApproval<Inputs extends ApprovalInputs>(
  judged: Inputs,
  transaction: TransactionState | null,
  addedCents: number,
  waitingCents: number,
): Inputs {
  if (isCredit(judged.message)) return Object.assign({}, judged, { cardAmountCents: 0 })
  if (transaction === null) return judged
  if (judged.message.kind === 'incremental') {
    const { sums } = transaction
    const chainCents = sums.authorized + sums.incremented - sums.reversed
    return Object.assign({}, judged, { chainCents: Math.max(0, chainCents) + waitingCents })
  }
  const cardAmountCents = Math.min(addedCents, judged.cardAmountCents)
  const chainCents = judged.cardAmountCents - cardAmountCents
  return Object.assign({}, judged, { cardAmountCents, chainCents })
}

/** Returns the minor units that an approval of `approvedCents` would add to the windows. */
export function amountDelta(
  judged: Judged,
  transaction: TransactionState | null,
  approvedCents: number,
): number {
  // The first message of a transaction counts its whole hold.
  if (transaction === null) return isCredit(judged.message) ? 0 : holdCents(judged, approvedCents)
  const { sums } = approvedChange(judged, transaction, approvedCents, judged.receivedAtMs)
  return countedAmount(sums) - countedAmount(transaction.sums)
}

/** Returns the number of authorizations that the windows would add. */
export function countDelta(judged: Judged, transaction: TransactionState | null): number {
  const counts = transaction !== null && countedAmount(transaction.sums) > 0
  return counts ? 0 : addedCount(judged)
}

/**
 * Flags of a transaction that waits for its authorization, because its reversal or capture came
 * first.
 */
export const AWAITS_AUTHORIZATION =
  TRANSACTION_FLAGS.reversed_before_authorization | TRANSACTION_FLAGS.force_post
