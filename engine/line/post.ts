// A notification of the network → an entry. The engine never judges it, never asks the tenant, and
// never refuses it for its card: it records every notification and flags anything unusual.
import { isCredit } from '../../shared/authorization-kind.ts'
import { AMOUNT_MAX } from '../../shared/money.ts'
import type { FactKind } from '../../shared/schemas/network-message.ts'
import { countedAmount, openHold, TRANSACTION_FLAGS } from '../../shared/transaction-sums.ts'
import { PROGRAM_DEFAULTS } from '../../shared/wire/facts.ts'
import {
  type AuthorizationRecord,
  type Decision,
  namesOriginal,
} from '../../shared/wire/journal-entry.ts'
import { type Change, effectOf } from '../lifecycle/change.ts'
import { factChange } from '../lifecycle/fact.ts'
import { holdEnd } from '../lifecycle/hold-expiry.ts'
import { unconverted } from '../lifecycle/unconverted.ts'
import type { Judged } from '../rules/rule.ts'
import type { Standing } from '../state/transactions.ts'
import { answerText, factAnswer } from './answer-text.ts'
import { bookedCents, convertedAtItsRate } from './booked.ts'
import { keptCents } from './credit.ts'
import { enter, timingsOf } from './enter.ts'
import { type Gathered, type Line, type Pending, type Refused, refusal } from './line.ts'
import { idAt, isCountable, type Met } from './meet.ts'
import { messageFlags } from './message-flags.ts'

const NO_KEYS: Decision['meters'] = []
const NO_MARKS: Decision['marks'] = []
const NO_RULES: Decision['wouldStop'] = []

/**
 * Returns the earlier answer if the notification was already applied to the transaction, however
 * long ago; or null.
 */
export function postedBefore(line: Line, { message }: Pending, link: Buffer): string | null {
  const row = line.state.transactions.knowing(link, message.messageKey)
  return row === -1 ? null : answerText(factAnswer(message.record, idAt(line.state, row).text))
}

/** Returns why a notification cannot be booked, or null: its amount is too large for exact sums. */
export function unpostable({ judged }: Gathered, met: Met | null): Refused | null {
  const standing = met === null ? null : met.standing
  // A reversal releases at most the hold, whatever its amount.
  const isReversal = judged.message.kind === 'reversal'
  const amount = isReversal ? 0 : (bookedCents(judged, standing) ?? 0)
  return isCountable(standing, amount) && judged.largestCounted <= AMOUNT_MAX - amount
    ? null
    : refusal('parameter_invalid', 'amount_cents', 'amount_cents is more than can be counted.')
}

/** Journals the notification and leaves the answer's text on `pending`. */
export function post(
  line: Line,
  pending: Pending,
  record: AuthorizationRecord,
  { gathered, met, link }: { gathered: Gathered; met: Met | null; link: Buffer },
): void {
  const standing = met?.standing ?? null
  if (met !== null) pending.transactionId = idAt(line.state, met.row)
  const { judged } = gathered
  const booked = bookedCents(judged, standing)
  const change = changeBy(judged, booked, standing, record)
  const added = countedAmount(change.sums) - (standing === null ? 0 : countedAmount(standing.sums))
  if (overruns(judged, added) || overrunsCredits(judged, booked, standing))
    change.flags |= TRANSACTION_FLAGS.limit_overrun
  change.flags |= messageFlags(judged)
  const follows = met !== null && line.state.transactions.places(met.row).length > 0
  enter(line, pending, convertedAtItsRate(record, judged, booked), {
    decision: decisionOf(line, pending, {
      change,
      held: openHold(change.sums) - (standing === null ? 0 : openHold(standing.sums)),
      meters: added > 0 && !follows ? gathered.keys : NO_KEYS,
    }),
    effect: effectOf(link, standing, change),
  })
}

function changeBy(
  { program }: Judged,
  amountCents: number | null,
  standing: Standing | null,
  { message, receivedAtMs }: AuthorizationRecord,
): Change {
  const kind = message.kind as FactKind
  if (amountCents === null) return unconverted(kind, standing, namesOriginal(message))
  const holdExpiresAtMs = holdEnd(message, program, receivedAtMs)
  return factChange(kind, standing, { message, amountCents, holdExpiresAtMs })
}

/** True if the added amount exceeds a limit. Chosen: it is counted all the same. */
function overruns({ limits }: Judged, added: number): boolean {
  if (added <= 0) return false
  for (const { limit, used, reserved } of limits)
    if (limit.amount_cents !== null && used + reserved + added > limit.amount_cents) return true
  return false
}

/**
 * Whether more is credited at once than the program allows beyond what was captured. Chosen: it is
 * recorded all the same.
 */
function overrunsCredits(
  { message, program, cardAmountCents }: Judged,
  booked: number | null,
  standing: Standing | null,
): boolean {
  const { per_authorization_cents: limit } = program.credit_limit ?? PROGRAM_DEFAULTS.credit_limit
  if (limit === null || booked === null) return false
  if (message.kind === 'refund')
    return booked - (standing === null ? 0 : keptCents(standing)) > limit
  const advised = message.kind === 'advice' && message.advice?.approved === true
  return advised && isCredit(message) && cardAmountCents > limit
}

function decisionOf(
  line: Line,
  pending: Pending,
  known: { change: Change; held: number; meters: Decision['meters'] },
): Decision {
  const answer = factAnswer(pending.message.record, '')
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
