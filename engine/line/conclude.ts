// Step 8. Verdict and answer → decision. Hold kept or released, ONE journal entry, for approvals and declines alike.
// Nobody is answered here: the answer waits until the entry is on disk.
import { type DeclineReason, TENANT_REASONS } from '../../shared/decline-reason.ts'
import { CONCLUDE_LATEST_MS } from '../../shared/limits.ts'
import { noSums, TRANSACTION_FLAGS } from '../../shared/transaction-sums.ts'
import {
  type AuthorizationRecord,
  type DecidedBy,
  type Decision,
  type DecisionEntry,
  type Effect,
  encodeEntry,
  type TenantRecord,
  transactionLink,
} from '../../shared/wire/journal-entry.ts'
import { step } from '../state/decision-state.ts'
import { answerText, responseCode } from './answer-text.ts'
import { draftsFired, firedRule, fraudMarks } from './fraud.ts'
import { gather } from './gather.ts'
import { judgeState } from './judge.ts'
import type { Line, Pending } from './line.ts'
import { unreserve } from './reserve.ts'
import { type StandInVerdict, standInVerdict } from './stand-in.ts'

interface Outcome {
  reason: DeclineReason | null
  amount: number
  decidedBy: DecidedBy
  standIn: boolean
}

/**
 * Decides, journals, and leaves the answer's text on `pending`. `staticReason` is the verdict of the controls; null means
 * the amount is reserved.
 */
export function conclude(
  line: Line,
  pending: Pending,
  record: AuthorizationRecord,
  staticReason: DeclineReason | null,
): void {
  const nowMs = line.clock.nowMs()
  const standIn = standInOf(line, pending, nowMs)
  const outcome = outcomeOf(line, pending, { staticReason, standIn, nowMs })
  const approved = outcome.reason === null
  const { gathered } = pending
  if (staticReason === null && gathered !== null) unreserve(line, gathered)
  const approvedAmount = approved ? outcome.amount : 0
  const marks = gathered === null ? NO_MARKS : fraudMarks(gathered.judged)
  const decision: Decision = {
    approved,
    approvedAmountCents: approvedAmount,
    responseCode: responseCode(
      approved,
      approvedAmount,
      record.message.amountCents,
      outcome.reason,
    ),
    authorizationCode: approved ? authorizationCode(pending) : null,
    declineReason: outcome.reason,
    declineDetail: staticReason === null ? null : declineDetail(pending),
    decidedBy: outcome.decidedBy,
    standIn: outcome.standIn,
    decidedAtMs: nowMs,
    tenant: pending.tenant,
    meters: approved && gathered !== null ? gathered.keys : NO_KEYS,
    timings: timingsOf(pending, line.clock.monotonicNs()),
    holdCents: approvedAmount,
    availableCents: null,
    standInCap: outcome.standIn && standIn !== null ? standIn.cap : null,
    standInWould: standIn === null ? null : { approve: standIn.approve, reason: standIn.reason },
    breaker: pending.breaker?.state ?? null,
    shadow: NO_SHADOW,
    marks,
    wouldStop:
      gathered === null
        ? NO_RULES
        : draftsFired(line.state.tries, gathered.judged, marks, pending.receivedAtMs),
  }
  const entry: DecisionEntry = {
    ...record,
    kind: 'decision',
    messageKey: pending.message.messageKey,
    contentHash: pending.message.contentHash,
    decision,
    effect: effectOf(line, record, decision),
  }
  pending.entry = entry
  pending.seq = line.journal.append(encodeEntry(entry))
  step(line.state, { type: 'entry', seq: pending.seq, entry })
  if (decision.marks.length > 0) stopCard(line, pending, entry)
  pending.answer = answerText({
    messageId: record.message.id,
    transactionId: record.transactionId,
    approved,
    approvedAmountCents: approvedAmount,
    responseCode: decision.responseCode,
    authorizationCode: decision.authorizationCode,
    declineReason: outcome.reason,
    decidedBy: outcome.decidedBy,
    standIn: outcome.standIn,
  })
}

/** A fraud rule that reached its count stops the card: an entry of its own, from the next message on. */
function stopCard(line: Line, pending: Pending, { decision, transactionId }: DecisionEntry): void {
  const judged = pending.gathered?.judged
  if (judged === undefined || judged.stoppedBy !== null) return
  const rule = firedRule(line.state.tries, judged, decision.marks, pending.receivedAtMs)
  if (rule === null) return
  const entry = {
    kind: 'card_suspension' as const,
    cardId: judged.card.id,
    tenantId: judged.card.tenant_id,
    environment: judged.card.environment,
    cardVersion: judged.card.version,
    suspendedAtMs: line.clock.nowMs(),
    rule,
    transactionId,
  }
  step(line.state, { type: 'entry', seq: line.journal.append(encodeEntry(entry)), entry })
}

const NO_KEYS: Decision['meters'] = []
const NO_MARKS: Decision['marks'] = []
const NO_RULES: Decision['wouldStop'] = []
const NO_SHADOW: Decision['shadow'] = []

function effectOf(line: Line, record: AuthorizationRecord, decision: Decision): Effect | null {
  const { message, card } = record
  if (card === null) return null
  const approved = decision.approved
  return {
    link: transactionLink(message.network, card.tenantId, message.originalNetworkTransactionId),
    sequence: 1,
    event: approved ? 'authorized' : 'declined',
    amountCents: decision.holdCents,
    sums: { ...noSums(), authorized: decision.holdCents },
    flags: approved ? 0 : TRANSACTION_FLAGS.declined,
    holdExpiresAtMs: approved ? line.clock.nowMs() + 7 * 86_400_000 : 0,
  }
}

/** Microseconds of every step, up to now. */
function timingsOf(pending: Pending, endNs: number): Decision['timings'] {
  const { times } = pending
  return {
    parse: times.parse,
    recall: times.recall,
    state_read: times.stateRead,
    controls: times.controls,
    reserve: times.reserve,
    sign: times.sign,
    connect: times.connect,
    tenant_wait: times.tenantWait,
    finalize: Math.round((endNs - times.lastNs) / 1000),
    total: Math.round((endNs - pending.receivedNs) / 1000),
  }
}

/** What stand-in would answer, for every authorization that was to be asked; null where nobody was. */
function standInOf(line: Line, pending: Pending, nowMs: number): StandInVerdict | null {
  const { tenant, gathered } = pending
  if (tenant === null || gathered === null || tenant.outcome === 'not_configured') return null
  return standInVerdict(gathered.judged, line.state.standIn, nowMs)
}

function outcomeOf(
  line: Line,
  pending: Pending,
  known: { staticReason: DeclineReason | null; standIn: StandInVerdict | null; nowMs: number },
): Outcome {
  const { staticReason, standIn, nowMs } = known
  const requested = pending.message.record.amountCents
  if (staticReason !== null)
    return { reason: staticReason, amount: 0, decidedBy: 'static_controls', standIn: false }
  // Chosen: the machine slept, so decline: whoever asked has long been answered by somebody else.
  if (nowMs > pending.receivedAtMs + CONCLUDE_LATEST_MS) {
    return { reason: 'issuer_overloaded', amount: 0, decidedBy: 'system', standIn: false }
  }
  const { tenant, gathered } = pending
  // Chosen: where nobody can be asked nobody is silent; the controls have decided.
  if (tenant === null || gathered === null || standIn === null)
    return { reason: null, amount: requested, decidedBy: 'static_controls', standIn: false }
  const outcome = tenantOutcome(tenant, standIn, pending)
  if (outcome.reason !== null) return outcome
  // What was approved minutes ago may be suspended now: the state rules have the last word.
  const changed = changedState(line, pending)
  return changed === null
    ? outcome
    : { reason: changed, amount: 0, decidedBy: 'static_controls', standIn: false }
}

function tenantOutcome(tenant: TenantRecord, standIn: StandInVerdict, pending: Pending): Outcome {
  const { amountCents: requested, partialApprovalCapable } = pending.message.record
  switch (tenant.outcome) {
    case 'answered_decline':
      return { reason: tenantReason(tenant.reason), amount: 0, decidedBy: 'tenant', standIn: false }
    case 'answered_approve': {
      // Chosen: a smaller amount approves partly where the terminal can, and declines where it cannot.
      const amount = tenant.approvedAmountCents
      if (amount === null || amount >= requested)
        return { reason: null, amount: requested, decidedBy: 'tenant', standIn: false }
      if (partialApprovalCapable)
        return { reason: null, amount, decidedBy: 'tenant', standIn: false }
      return { reason: 'tenant_declined', amount: 0, decidedBy: 'tenant', standIn: false }
    }
    // Chosen: silence of every kind is stand-in.
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
  const { facts } = line
  const unchanged =
    facts.card(before.card.id)?.version === before.card.version &&
    facts.cardholder(before.cardholder.id)?.version === before.cardholder.version &&
    facts.program(before.program.id)?.version === before.program.version
  if (unchanged) return null
  const after = gather(line, pending.message, pending.receivedAtMs)
  if (after === null || after === 'incomplete') return 'card_terminated'
  return judgeState(after.judged, pending.trace)
}

/** `<scope>:<limit or list>` of the row that declined, where a control did. */
function declineDetail(pending: Pending): string | null {
  const row = pending.trace.at(-1)
  return row === undefined || row[2] === 0 || row.length < 7
    ? null
    : String(row[3]) + ':' + String(row[4])
}

/** Six digits from the random part of the transaction's id. */
function authorizationCode(pending: Pending): string {
  const bytes = pending.transactionId?.bytes
  return bytes === undefined
    ? '000000'
    : String(bytes.readUInt32BE(10) % 1_000_000).padStart(6, '0')
}
