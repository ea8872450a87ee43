// Step 8. Verdict and answer → decision. The hold is kept or released with ONE journal entry, for
// approvals and declines alike. This step sends no answer: the answer waits until the entry is on
// disk.
import { type DeclineReason, responseCodeOf, TENANT_REASONS } from '../../shared/decline-reason.ts'
import { CONCLUDE_LATEST_MS } from '../../shared/limits.ts'
import { openHold } from '../../shared/transaction-sums.ts'
import {
  type AuthorizationRecord,
  type DecidedBy,
  type Decision,
  type DecisionEntry,
  encodeEntry,
  type TenantRecord,
} from '../../shared/wire/journal-entry.ts'
import { refused } from '../lifecycle/authorization.ts'
import { type Change, effectOf, type TransactionState } from '../lifecycle/change.ts'
import { declineDetail } from '../rules/decline-detail.ts'
import { step } from '../state/decision-state.ts'
import { approvalCode } from './answer-text.ts'
import { appendEntry, timingsOf } from './append-entry.ts'
import { toMessageCurrency } from './convert.ts'
import { draftsFired, firedRule, fraudMarks } from './fraud.ts'
import { gather } from './gather.ts'
import { judgeState } from './judge.ts'
import type { Gathered, Line, Pending } from './line.ts'
import {
  idAt,
  type MatchedTransaction,
  matchRequest,
  preconditionFailure,
} from './match-transaction.ts'
import { messageFlags } from './message-flags.ts'
import { approvedChange } from './project-approval.ts'
import { unreserve } from './reserve.ts'
import { type StandInVerdict, standInVerdict } from './stand-in.ts'

interface Outcome {
  reason: DeclineReason | null
  /** Approved amount in minor units of the card's currency. */
  amount: number
  decidedBy: DecidedBy
  standIn: boolean
}

/**
 * Decides an authorization request, journals it, and leaves the answer's text on `pending`.
 * `staticReason` is the verdict of the controls; null means the amount is reserved.
 */
export function conclude(
  line: Line,
  pending: Pending,
  record: AuthorizationRecord,
  staticReason: DeclineReason | null,
): void {
  const nowMs = line.clock.nowMs()
  const decidedAtMs = nowMs + pending.clockOffsetMs
  const standIn = standInOf(line, pending, nowMs)
  // Looked up again: while the tenant was asked, the network may have reversed or captured, or the
  // hold may have expired.
  const match = matchRequest(line.state, pending)
  const outcome = outcomeOf(line, pending, { staticReason, standIn, nowMs, match })
  const approved = outcome.reason === null
  const { gathered, link } = pending
  const keys = pending.reservation?.keys ?? NO_KEYS
  unreserve(line, pending)
  if (match !== null) pending.transactionId = idAt(line.state, match.row)
  const transaction = match?.transaction ?? null
  const change = gathered === null ? null : changeOf(gathered, transaction, outcome, decidedAtMs)
  const { message } = record
  const approvedAmount = approved ? toMessageCurrency(record, outcome.amount) : 0
  const marks = gathered === null ? NO_MARKS : fraudMarks(gathered.judged)
  const decision: Decision = {
    approved,
    approvedAmountCents: approvedAmount,
    responseCode:
      outcome.reason === null
        ? approvalCode(message.kind, approvedAmount, message.amountCents)
        : responseCodeOf(outcome.reason),
    authorizationCode: approved ? authorizationCode(pending) : null,
    declineReason: outcome.reason,
    declineDetail: staticReason === null ? null : declineDetail(pending.trace.at(-1)),
    decidedBy: outcome.decidedBy,
    standIn: outcome.standIn,
    decidedAtMs,
    tenant: pending.tenant,
    meters: approved ? keys : NO_KEYS,
    timings: timingsOf(pending, line.clock.monotonicNs()),
    holdCents: change === null ? 0 : heldMore(change, match),
    availableCents: approved ? pending.availableCents : null,
    standInCap: outcome.standIn && standIn !== null ? standIn.cap : null,
    standInWould: standIn === null ? null : { approve: standIn.approve, reason: standIn.reason },
    breaker: pending.breaker?.state ?? null,
    shadow: pending.shadow,
    marks,
    wouldStop:
      gathered === null
        ? NO_RULES
        : draftsFired(line.state.tries, gathered.judged, marks, record.receivedAtMs),
    standInPolicyVersion: standIn === null ? null : policyVersion(gathered),
  }
  const effect = link === null || change === null ? null : effectOf(link, transaction, change)
  const entry = appendEntry(line, pending, record, { decision, effect })
  if (decision.marks.length > 0) stopCard(line, pending, entry)
}

/**
 * Returns the change of the transaction that the decision causes, with the flags of its message.
 */
function changeOf(
  { judged }: Gathered,
  transaction: TransactionState | null,
  { reason, amount }: Outcome,
  decidedAtMs: number,
): Change {
  const change =
    reason === null
      ? approvedChange(judged, transaction, amount, decidedAtMs)
      : refused(transaction)
  change.flags |= messageFlags(judged)
  return change
}

function policyVersion(gathered: Gathered | null): number {
  return gathered?.judged.program.stand_in_policy?.version ?? 0
}

function heldMore({ sums }: Change, match: MatchedTransaction | null): number {
  return openHold(sums) - (match === null ? 0 : openHold(match.transaction.sums))
}

/**
 * A fraud rule that reached its count stops the card with an entry of its own, from the next
 * message on.
 */
function stopCard(line: Line, pending: Pending, entry: DecisionEntry): void {
  const judged = pending.gathered?.judged
  if (judged === undefined || judged.stoppedBy !== null) return
  const { decision, transactionId, receivedAtMs } = entry
  const rule = firedRule(line.state.tries, judged, decision.marks, receivedAtMs)
  if (rule === null) return
  const suspension = {
    kind: 'card_suspension' as const,
    cardId: judged.card.id,
    tenantId: judged.card.tenant_id,
    environment: judged.card.environment,
    cardVersion: judged.card.version,
    // The stop has the decision's moment, so a replay gives the same one.
    suspendedAtMs: decision.decidedAtMs,
    rule,
    transactionId,
  }
  step(line.state, {
    type: 'entry',
    seq: line.journal.append(encodeEntry(suspension)),
    entry: suspension,
  })
}

const NO_KEYS: Decision['meters'] = []
const NO_MARKS: Decision['marks'] = []
const NO_RULES: Decision['wouldStop'] = []

/** Returns the stand-in verdict for every authorization meant for a tenant; null for any other. */
function standInOf(line: Line, pending: Pending, nowMs: number): StandInVerdict | null {
  const { tenant, gathered } = pending
  if (tenant === null || gathered === null || tenant.outcome === 'not_configured') return null
  return standInVerdict(gathered.judged, line.state.standIn, nowMs)
}

function outcomeOf(
  line: Line,
  pending: Pending,
  known: {
    staticReason: DeclineReason | null
    standIn: StandInVerdict | null
    nowMs: number
    match: MatchedTransaction | null
  },
): Outcome {
  const { staticReason, standIn, nowMs, match } = known
  const requested = pending.gathered?.judged.cardAmountCents ?? 0
  const objection =
    staticReason ??
    preconditionFailure(pending.message.record, match?.transaction ?? null, requested)
  if (objection !== null) return declinedFor(objection)
  // Chosen: the machine slept, so decline: the sender was answered elsewhere long ago.
  if (nowMs > pending.receivedAtMs + CONCLUDE_LATEST_MS) {
    return { reason: 'issuer_overloaded', amount: 0, decidedBy: 'system', standIn: false }
  }
  const { tenant, gathered } = pending
  // Chosen: a tenant that cannot be asked is not silent; the controls have decided.
  if (tenant === null || gathered === null || standIn === null)
    return { reason: null, amount: requested, decidedBy: 'static_controls', standIn: false }
  const outcome = tenantOutcome(tenant, standIn, pending)
  if (outcome.reason !== null) return outcome
  // A card approved minutes ago may be suspended now: the state rules have the last word.
  const changed = changedState(line, pending)
  return changed === null
    ? outcome
    : { reason: changed, amount: 0, decidedBy: 'static_controls', standIn: false }
}

/**
 * Chosen: a request that the network reversed, or decided, before our answer counts as declined by
 * the network.
 */
function declinedFor(reason: DeclineReason): Outcome {
  const byNetwork = reason === 'original_reversed' || reason === 'issuer_overloaded'
  const decidedBy = byNetwork ? 'network' : 'static_controls'
  return { reason, amount: 0, decidedBy, standIn: false }
}

function tenantOutcome(tenant: TenantRecord, standIn: StandInVerdict, pending: Pending): Outcome {
  const { partialApprovalCapable } = pending.message.record
  const requested = pending.gathered?.judged.cardAmountCents ?? 0
  switch (tenant.outcome) {
    case 'answered_decline':
      return { reason: tenantReason(tenant.reason), amount: 0, decidedBy: 'tenant', standIn: false }
    case 'answered_approve': {
      // Chosen: a smaller amount gives a partial approval if the terminal supports it, else a
      // decline.
      const amount = tenant.approvedAmountCents
      if (amount === null || amount >= requested)
        return { reason: null, amount: requested, decidedBy: 'tenant', standIn: false }
      if (partialApprovalCapable)
        return { reason: null, amount, decidedBy: 'tenant', standIn: false }
      return { reason: 'tenant_declined', amount: 0, decidedBy: 'tenant', standIn: false }
    }
    // Chosen: every kind of silence leads to stand-in.
    default:
      return { reason: standIn.reason, amount: requested, decidedBy: 'stand_in', standIn: true }
  }
}

function tenantReason(text: string | null): DeclineReason {
  return text !== null && TENANT_REASONS.has(text) ? (text as DeclineReason) : 'tenant_declined'
}

function changedState(line: Line, pending: Pending): DeclineReason | null {
  const before = pending.gathered?.judged
  if (before === undefined) return null
  const { configCache } = line
  const unchanged =
    configCache.card(before.card.id)?.version === before.card.version &&
    configCache.cardholder(before.cardholder.id)?.version === before.cardholder.version &&
    configCache.program(before.program.id)?.version === before.program.version
  if (unchanged) return null
  const after = gather(line, pending.message, pending.receivedAtMs)
  if (after === null || after === 'incomplete') return 'card_terminated'
  return judgeState(after.judged, pending.trace)
}

/** Six digits from the random part of the transaction's id. */
function authorizationCode(pending: Pending): string {
  const bytes = pending.transactionId?.bytes
  if (bytes === undefined) return '000000'
  const code = bytes.readUInt32BE(10) % 1_000_000
  return (THREE_DIGITS[Math.floor(code / 1000)] as string) + THREE_DIGITS[code % 1000]
}

const THREE_DIGITS = Array.from({ length: 1000 }, (_, number) => String(number).padStart(3, '0'))
