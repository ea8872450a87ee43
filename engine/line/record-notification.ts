// A notification of the network → an entry. The engine never judges it, never asks the tenant, and
// never refuses it for its card: it records every notification and flags anything unusual.
import { isCredit } from '../../shared/authorization-kind.ts'
import { AMOUNT_MAX } from '../../shared/money.ts'
import type { NotificationKind } from '../../shared/schemas/network-message.ts'
import { countedAmount, openHold, TRANSACTION_FLAGS } from '../../shared/transaction-sums.ts'
import {
  type AuthorizationRecord,
  type Decision,
  namesOriginal,
} from '../../shared/wire/journal-entry.ts'
import { type Change, effectOf } from '../lifecycle/change.ts'
import { holdEnd } from '../lifecycle/hold-expiry.ts'
import { notificationChange } from '../lifecycle/notification.ts'
import { unconverted } from '../lifecycle/unconverted.ts'
import type { Judged } from '../rules/rule.ts'
import type { TransactionState } from '../state/transactions.ts'
import { answerText, notificationAnswer } from './answer-text.ts'
import { appendEntry, timingsOf } from './append-entry.ts'
import { keptCents } from './credit.ts'
import { type Gathered, type Line, type Pending, type Refused, refusal } from './line.ts'
import { idAt, isCountable, type MatchedTransaction } from './match-transaction.ts'
import { messageFlags } from './message-flags.ts'
import { convertedAtItsRate, postedCents } from './posted-amount.ts'

const NO_KEYS: Decision['meters'] = []
const NO_MARKS: Decision['marks'] = []
const NO_RULES: Decision['wouldStop'] = []

/**
 * Returns the earlier answer if the notification was already applied to the transaction, however
 * long ago; or null.
 */
export function recordedBefore(line: Line, { message }: Pending, link: Buffer): string | null {
  const row = line.state.transactions.knowing(link, message.messageKey)
  return row === -1
    ? null
    : answerText(notificationAnswer(message.record, idAt(line.state, row).text))
}

/** Returns why a notification cannot be booked, or null: its amount is too large for exact sums. */
export function validateNotification(
  { judged }: Gathered,
  match: MatchedTransaction | null,
): Refused | null {
  const transaction = match === null ? null : match.transaction
  // A reversal releases at most the hold, whatever its amount.
  const isReversal = judged.message.kind === 'reversal'
  const amount = isReversal ? 0 : (postedCents(judged, transaction) ?? 0)
  return isCountable(transaction, amount) && judged.largestCounted <= AMOUNT_MAX - amount
    ? null
    : refusal('parameter_invalid', 'amount_cents', 'amount_cents is more than can be counted.')
}

/** Journals the notification and leaves the answer's text on `pending`. */
export function recordNotification(
  line: Line,
  pending: Pending,
  record: AuthorizationRecord,
  { gathered, match, link }: { gathered: Gathered; match: MatchedTransaction | null; link: Buffer },
): void {
  const transaction = match?.transaction ?? null
  if (match !== null) pending.transactionId = idAt(line.state, match.row)
  const { judged } = gathered
  const booked = postedCents(judged, transaction)
  const change = changeBy(judged, booked, transaction, record)
  const added =
    countedAmount(change.sums) - (transaction === null ? 0 : countedAmount(transaction.sums))
  if (overruns(judged, added) || overrunsCredits(judged, booked, transaction))
    change.flags |= TRANSACTION_FLAGS.limit_overrun
  change.flags |= messageFlags(judged)
  const follows = match !== null && line.state.transactions.places(match.row).length > 0
  appendEntry(line, pending, convertedAtItsRate(record, judged, booked), {
    decision: decisionOf(line, pending, {
      change,
      held: openHold(change.sums) - (transaction === null ? 0 : openHold(transaction.sums)),
      meters: added > 0 && !follows ? gathered.keys : NO_KEYS,
    }),
    effect: effectOf(link, transaction, change),
  })
}

function changeBy(
  { program }: Judged,
  amountCents: number | null,
  transaction: TransactionState | null,
  { message, receivedAtMs }: AuthorizationRecord,
): Change {
  const kind = message.kind as NotificationKind
  if (amountCents === null) return unconverted(kind, transaction, namesOriginal(message))
  const holdExpiresAtMs = holdEnd(message, program, receivedAtMs)
  return notificationChange(kind, transaction, { message, amountCents, holdExpiresAtMs })
}

/** True if the added amount exceeds a limit. Chosen: it is counted all the same. */
function overruns({ limits }: Judged, added: number): boolean {
  if (added <= 0) return false
  for (const { limit, used, reserved } of limits)
    if (limit.amount_cents !== null && used + reserved + added > limit.amount_cents) return true
  return false
}

/**
 * Whether the notification credits more at once than the program allows beyond the captured amount.
 * Chosen: it is recorded all the same.
 */
function overrunsCredits(
  { message, program, cardAmountCents }: Judged,
  booked: number | null,
  transaction: TransactionState | null,
): boolean {
  const { per_authorization_cents: limit } = program.credit_limit
  if (limit === null || booked === null) return false
  if (message.kind === 'refund')
    return booked - (transaction === null ? 0 : keptCents(transaction)) > limit
  const advised = message.kind === 'advice' && message.advice?.approved === true
  return advised && isCredit(message) && cardAmountCents > limit
}

function decisionOf(
  line: Line,
  pending: Pending,
  known: { change: Change; held: number; meters: Decision['meters'] },
): Decision {
  const answer = notificationAnswer(pending.message.record, '')
  return {
    approved: answer.approved,
    approvedAmountCents: answer.approvedAmountCents,
    responseCode: answer.responseCode,
    authorizationCode: null,
    declineReason: answer.declineReason,
    declineDetail: null,
    decidedBy: answer.decidedBy,
    standIn: false,
    decidedAtMs: line.clock.nowMs() + pending.clockOffsetMs,
    tenant: null,
    meters: known.meters,
    timings: timingsOf(pending, line.clock.monotonicNs()),
    holdCents: Math.max(0, known.held),
    availableCents: null,
    standInCap: null,
    standInWould: null,
    breaker: null,
    shadow: pending.shadow,
    marks: NO_MARKS,
    wouldStop: NO_RULES,
    standInPolicyVersion: null,
  }
}
