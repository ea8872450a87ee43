// What an approval would make of the transaction: with it the controls are asked, the windows reserved, and in the end the
// effect recorded.
import { isCredit } from '../../shared/authorization-kind.ts'
import { countedAmount, TRANSACTION_FLAGS } from '../../shared/transaction-sums.ts'
import type { Change, Standing } from '../lifecycle/change.ts'
import { holdEnd } from '../lifecycle/hold-expiry.ts'
import { authorized, incremented } from '../lifecycle/question.ts'
import { holdCents } from '../rules/hold.ts'
import { addedCount, type Judged } from '../rules/rule.ts'

/** The transaction after an approval of `approvedCents`. Chosen: a credit holds nothing; the refund that follows posts it. */
export function approvedChange(
  judged: Judged,
  standing: Standing | null,
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
  return standing !== null && message.kind === 'incremental'
    ? incremented(standing, approval)
    : authorized(standing, approval)
}

/**
 * The facts as the controls have to see them: an increment with what its transaction was approved for and what others wait to
 * raise it by, and only what a message adds, where that is less than it asks for; what it does not add is part of the whole.
 */
export function proposed(
  judged: Judged,
  standing: Standing | null,
  addedCents: number,
  waitingCents: number,
): Judged {
  if (isCredit(judged.message)) return Object.assign({}, judged, { cardAmountCents: 0 })
  if (standing === null) return judged
  if (judged.message.kind === 'incremental') {
    const { sums } = standing
    const chainCents = sums.authorized + sums.incremented - sums.reversed
    return Object.assign({}, judged, { chainCents: Math.max(0, chainCents) + waitingCents })
  }
  const cardAmountCents = Math.min(addedCents, judged.cardAmountCents)
  const chainCents = judged.cardAmountCents - cardAmountCents
  return Object.assign({}, judged, { cardAmountCents, chainCents })
}

/** Minor units that the windows would count more after an approval of `approvedCents`. */
export function addedBy(judged: Judged, standing: Standing | null, approvedCents: number): number {
  // A transaction that begins with it counts all that it holds.
  if (standing === null) return isCredit(judged.message) ? 0 : holdCents(judged, approvedCents)
  const { sums } = approvedChange(judged, standing, approvedCents, judged.receivedAtMs)
  return countedAmount(sums) - countedAmount(standing.sums)
}

/** Authorizations that the windows would count more. */
export function countAddedBy(judged: Judged, standing: Standing | null): number {
  const counts = standing !== null && countedAmount(standing.sums) > 0
  return counts ? 0 : addedCount(judged)
}

/** Flags of a transaction that waits for its authorization, because its reversal or capture came first. */
export const AWAITS_AUTHORIZATION =
  TRANSACTION_FLAGS.reversed_before_authorization | TRANSACTION_FLAGS.force_post
