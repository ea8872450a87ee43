// The authorization line: one message from its bytes to its durable answer, in nine steps, one file
// each in line/.
import { isPayment } from '../shared/authorization-kind.ts'
import type { DeclineReason } from '../shared/decline-reason.ts'
import { JOURNAL_AGE_MS_MAX, JOURNAL_QUEUE_MAX } from '../shared/limits.ts'
import { isNotification } from '../shared/schemas/network-message.ts'
import {
  type AuthorizationRecord,
  encodeEntry,
  type MeterKey,
  type TenantRecord,
} from '../shared/wire/journal-entry.ts'
import { answer, refuse, Unanswered } from './line/answer.ts'
import { ask, requestText, unaskable } from './line/ask.ts'
import { conclude } from './line/conclude.ts'
import { CreditsWaiting, withCredit } from './line/credit.ts'
import { decode, decodeWire } from './line/decode.ts'
import { gather } from './line/gather.ts'
import { judge } from './line/judge.ts'
import { lap, micros } from './line/lap.ts'
import {
  type Arrival,
  type Gathered,
  type Line,
  type Message,
  type Pending,
  type Refused,
  refusal,
} from './line/line.ts'
import {
  idAt,
  matchNotification,
  matchRequest,
  metById,
  preconditionFailure,
} from './line/match-transaction.ts'
import { misplaced } from './line/misplaced.ts'
import { OpenMessages } from './line/open-messages.ts'
import { newPending, recordOf, releaseDecisionInputs } from './line/pending.ts'
import { PendingIncrements } from './line/pending-increments.ts'
import { amountDelta, countDelta, projectApproval } from './line/project-approval.ts'
import { recall } from './line/recall.ts'
import { type RawMessage, receive } from './line/receive.ts'
import {
  recordedBefore,
  recordNotification,
  validateNotification,
} from './line/record-notification.ts'
import { reserve, unreserve } from './line/reserve.ts'
import { judgeDrafts, type Shadow } from './line/shadow.ts'
import { maxApprovable } from './rules/max-approvable.ts'
import { CARD_NOT_FOUND_ROW } from './rules/order.ts'
import type { Judged } from './rules/rule.ts'
import { step } from './state/decision-state.ts'

/** Messages that may wait for a tenant or the disk at once; the line refuses more with 503. */
const OPEN_MAX = 20_000

export interface AuthorizationLine {
  /** Takes one message. Answers through `raw.reply`, now or later, exactly once. */
  authorize(raw: RawMessage): void
  /** Takes a message that is already decoded: the steps of `authorize` from recall on. */
  decide(arrival: Arrival, message: Message): void
  /** The journal reports that everything up to `seq` is durable. */
  synced(seq: number): void
  /** Messages not answered yet. */
  readonly open: number
}

/**
 * Opens the authorization line of one engine: the nine steps in order, and the requests open
 * between them. Runs on the decision thread only.
 */
export function openAuthorizationLine(line: Line): AuthorizationLine {
  const open = new OpenMessages()
  const unanswered = new Unanswered()
  /** Authorizations that wait for their tenant, by the link of their transaction. */
  const askedAbout = new Map<string, Pending>()
  const pendingIncrements = new PendingIncrements()
  const credits = new CreditsWaiting()
  /**
   * Receipt time of the latest judged message. The first byte sets the receipt time, so a message
   * with a slow body may be older than one already judged, even on the other side of midnight.
   * Chosen: it counts in the windows of the later one, because the engine keeps only the current
   * window.
   */
  let judgedMs = line.state.latestMs
  let judgedCount = 0

  function authorize(raw: RawMessage): void {
    const refused = overload(line, open.size)
    if (refused !== null) return refuse(line, raw.reply, refused)
    const arrival = receive(line, raw)
    if ('refused' in arrival) return refuse(line, raw.reply, arrival)
    const message =
      'wire' in raw ? decodeWire(line, arrival, raw.wire) : decode(line, arrival, raw.body)
    if ('refused' in message) return refuse(line, raw.reply, message)
    if ('holdExpiresAtMs' in raw) message.record.holdExpiresAtMs = raw.holdExpiresAtMs
    decideMessage(arrival, message)
  }

  function decideMessage(arrival: Arrival, message: Message): void {
    const parsedNs = line.clock.monotonicNs()
    const earlier = recall(line, open, arrival, message)
    if (earlier === 'joined') return
    if (earlier !== 'fresh') return arrival.reply.send(200, earlier.text)
    if (message.stale && !isNotification(message.record.kind))
      return refuse(line, arrival.reply, refusal('message_stale', 'transmitted_at'))
    const recalledNs = line.clock.monotonicNs()

    judgedMs = Math.max(judgedMs, arrival.receivedAtMs)
    const gathered = gather(line, message, judgedMs)
    // Chosen: an account that the api knows and the engine does not know yet is no decline.
    if (gathered === 'incomplete' || (gathered === null && isPayment(message.record)))
      return refuse(line, arrival.reply, refusal('not_ready'))
    const elsewhere = misplaced(line, arrival, gathered)
    if (elsewhere !== null) return refuse(line, arrival.reply, elsewhere)
    const pending = newPending(line, arrival, message, gathered)
    pending.times.decode = micros(parsedNs - arrival.receivedNs)
    pending.times.recall = micros(recalledNs - parsedNs)
    lap(line, pending, 'gather', recalledNs)

    if (gathered === null) {
      pending.trace.push(CARD_NOT_FOUND_ROW)
      return decide(pending, recordOf(line, pending), 'card_not_found')
    }
    if (isNotification(message.record.kind)) return recordNotificationEntry(pending, gathered)
    decideRequest(pending, gathered)
  }

  function decideRequest(pending: Pending, gathered: Gathered): void {
    const { state } = line
    const { record: message } = pending.message
    const match = matchRequest(state, pending)
    if (match !== null) pending.transactionId = idAt(state, match.row)
    const transaction = match?.transaction ?? null
    const { cardAmountCents } = gathered.judged
    const added = amountDelta(gathered.judged, transaction, cardAmountCents)
    const increment = message.kind === 'incremental'
    const waitingCents = increment ? pendingIncrements.centsBefore(pending) : 0
    const now = { state, nowMs: judgedMs }
    const asked = withCredit(now, gathered.judged, pending.link, credits)
    const judged = projectApproval(asked, transaction, added, waitingCents)
    // Stand-in judges the transaction including the increment.
    if (increment) pending.gathered = Object.assign({}, gathered, { judged })
    else if (asked.credit !== null)
      pending.gathered = Object.assign({}, gathered, { judged: asked })
    const reason =
      preconditionFailure(message, transaction, cardAmountCents) ?? judge(judged, pending.trace)
    const shadow = judgeDrafts(judged)
    judgedCount += 1
    pending.judgedOrder = judgedCount
    pending.shadow = shadow.verdicts
    lap(line, pending, 'judge')
    const record = recordOf(line, pending)
    if (reason !== null) return decide(pending, record, reason)

    pending.reservation = {
      keys: keysOf(added, gathered, shadow),
      amountCents: added,
      count: countDelta(judged, transaction),
    }
    // Chosen: a balance inquiry gives nothing away, so the tenant need not agree. A call of the
    // tenant began a payment.
    const inquiry = message.kind === 'balance_inquiry'
    if (inquiry) pending.availableCents = availableTo(judged)
    if (inquiry || isPayment(message) || !judged.program.realtime)
      return decide(pending, record, null)
    askTenant(pending, gathered, record)
  }

  function recordNotificationEntry(pending: Pending, gathered: Gathered): void {
    const { link } = pending
    const [arrival] = pending.arrivals
    if (link === null || arrival === undefined) return
    const before = recordedBefore(line, pending, link)
    if (before !== null) return arrival.reply.send(200, before)
    // The tenant is being asked about the transaction of this notification: one transaction, under
    // one id.
    const asked = askedAbout.get(linkText(pending))?.transactionId ?? null
    const match =
      matchNotification(line.state, link, pending.message.record.kind) ??
      metById(line.state, link, asked)
    const refused = validateNotification(gathered, match)
    if (refused !== null) return refuse(line, arrival.reply, refused)
    if (match === null && asked !== null) pending.transactionId = asked
    recordNotification(line, pending, recordOf(line, pending), { gathered, match, link })
    awaitSync(pending)
  }

  function askTenant(pending: Pending, gathered: Gathered, record: AuthorizationRecord): void {
    pending.tenant = unaskable(line, pending, gathered)
    if (pending.tenant !== null || gathered.endpoint === null) {
      if (pending.tenant !== null) line.metrics.countTenant(pending.tenant.outcome)
      return decide(pending, record, null)
    }
    // The request is open from here: repeats join it, and the reservation stands while the tenant
    // decides.
    reserve(line, pending)
    lap(line, pending, 'reserve')
    open.add(pending)
    if (record.message.kind === 'authorization') askedAbout.set(linkText(pending), pending)
    if (record.message.kind === 'incremental') pendingIncrements.begin(pending)
    credits.begin(pending)
    ask(line, pending, gathered.endpoint, requestText(line, record, pending), {
      onAnswer(reply: TenantRecord): void {
        pending.tenant = reply
        lap(line, pending, 'ask')
        line.metrics.countTenant(reply.outcome)
        decide(pending, record, null)
      },
      onLate: (reply, approve) => recordLate(line, pending, reply, approve),
    })
  }

  function decide(
    pending: Pending,
    record: AuthorizationRecord,
    staticReason: DeclineReason | null,
  ): void {
    if (pending.tenant !== null) {
      if (askedAbout.get(linkText(pending)) === pending) askedAbout.delete(linkText(pending))
      pendingIncrements.end(pending)
      credits.end(pending)
    }
    if (!line.journal.writable) {
      unreserve(line, pending)
      for (const arrival of pending.arrivals) refuse(line, arrival.reply, refusal('overloaded'))
      open.delete(pending)
      return
    }
    conclude(line, pending, record, staticReason)
    awaitSync(pending)
  }

  function awaitSync(pending: Pending): void {
    if (pending.entry !== null) line.metrics.countDecision(pending.entry)
    const wantsEntry = line.logsDecisions || isPayment(pending.message.record)
    releaseDecisionInputs(pending, pending.tenant !== null || wantsEntry)
    open.add(pending)
    unanswered.add(pending)
  }

  return {
    authorize,
    decide: decideMessage,
    synced: (seq) => answer(line, open, unanswered, seq),
    get open() {
      return open.size
    },
  }
}

/** Returns the reason why the engine cannot decide now, or null. */
function overload(line: Line, open: number): Refused | null {
  const unready = line.unready()
  if (unready !== null) return refusal('not_ready', null, unready)
  const { journal } = line
  if (!journal.writable || journal.waiting >= JOURNAL_QUEUE_MAX || open >= OPEN_MAX)
    return refusal('overloaded')
  return journal.waitingMs > JOURNAL_AGE_MS_MAX ? refusal('overloaded') : null
}

/** Meters in which an approval counts; none if it adds nothing. */
function keysOf(added: number, { keys }: Gathered, shadow: Shadow): readonly MeterKey[] {
  if (added === 0) return NO_KEYS
  return shadow.keys.length === 0 ? keys : [...keys, ...shadow.keys]
}

const NO_KEYS: readonly MeterKey[] = []

function linkText({ link }: Pending): string {
  return link === null ? '' : link.toString('latin1')
}

/** The balance that an inquiry returns. Chosen: null if no limit defines it. */
function availableTo(judged: Judged): number | null {
  return judged.limits.some(({ limit }) => limit.amount_cents !== null)
    ? maxApprovable(judged)
    : null
}

/**
 * Chosen: a reply after the deadline becomes a second entry that changes only the displayed
 * transaction.
 */
function recordLate(line: Line, pending: Pending, reply: TenantRecord, approve: boolean): void {
  const { entry } = pending
  if (
    entry === null ||
    entry.transactionId === null ||
    entry.card === null ||
    entry.effect === null ||
    !line.journal.writable
  )
    return
  const late = {
    kind: 'late_reply' as const,
    transactionId: entry.transactionId,
    tenantId: entry.card.tenantId,
    environment: entry.environment,
    repliedAtMs: line.clock.nowMs() + entry.clockOffsetMs,
    outcome: approve ? ('late_approve' as const) : ('late_decline' as const),
    latencyMs: reply.latencyMs ?? 0,
    reason: reply.reason,
    disagrees: approve !== entry.decision.approved,
    requestId: entry.requestId,
    sequence: entry.effect.sequence,
  }
  line.metrics.countTenant(late.outcome)
  step(line.state, { type: 'entry', seq: line.journal.append(encodeEntry(late)), entry: late })
}
