// The authorization line: one message from its bytes to its durable answer, in nine steps, one file each in line/.
import type { DeclineReason } from '../shared/decline-reason.ts'
import { JOURNAL_AGE_MS_MAX, JOURNAL_QUEUE_MAX } from '../shared/limits.ts'
import {
  type AuthorizationRecord,
  encodeEntry,
  type TenantRecord,
} from '../shared/wire/journal-entry.ts'
import { answer, refuse, Unanswered } from './line/answer.ts'
import { ask, questionText, unaskable } from './line/ask.ts'
import { conclude } from './line/conclude.ts'
import { decode, decodeWire } from './line/decode.ts'
import { gather } from './line/gather.ts'
import { judge } from './line/judge.ts'
import {
  type Arrival,
  type Gathered,
  type Line,
  type Message,
  type Pending,
  type Refused,
  refusal,
} from './line/line.ts'
import { recall } from './line/recall.ts'
import { type RawMessage, receive } from './line/receive.ts'
import { reserve, unreserve } from './line/reserve.ts'
import { CARD_NOT_FOUND_ROW } from './rules/order.ts'
import type { MutableTraceRow } from './rules/rule.ts'
import { step } from './state/decision-state.ts'

/** Messages that may wait for a tenant or the disk at once; beyond it, 503. */
const OPEN_MAX = 20_000

export interface AuthorizationLine {
  /** One message. Answers through `raw.reply`, now or later, exactly once. */
  authorize(raw: RawMessage): void
  /** The journal says that everything up to `seq` is durable. */
  synced(seq: number): void
  /** Messages not answered yet. */
  readonly open: number
}

/** The line of one engine: the nine steps in order, and what is open between them. Runs on the decision thread only. */
export function openAuthorizationLine(line: Line): AuthorizationLine {
  const open = new Map<string, Pending>()
  const unanswered = new Unanswered()
  /**
   * Receipt of the latest message judged. Receipt is stamped with the first byte, so a message whose body came slowly may be
   * older than one already judged, on the other side of midnight even. Chosen: it counts in the windows of the later one,
   * because of a past window nothing is known any more.
   */
  let judgedMs = line.state.latestMs

  function authorize(raw: RawMessage): void {
    const refused = overload(line, open.size)
    if (refused !== null) return refuse(line, raw.reply, refused)
    const arrival = receive(line, raw)
    if ('refused' in arrival) return refuse(line, raw.reply, arrival)
    const message =
      'wire' in raw ? decodeWire(line, arrival, raw.wire) : decode(line, arrival, raw.body)
    if ('refused' in message) return refuse(line, raw.reply, message)
    const parsedNs = line.clock.monotonicNs()

    const earlier = recall(line, open, arrival, message)
    if (earlier === 'joined') return
    if (earlier !== 'fresh') return arrival.reply.send(200, earlier.text)
    if (message.stale)
      return refuse(line, arrival.reply, refusal('message_stale', 'transmitted_at'))
    const recalledNs = line.clock.monotonicNs()

    judgedMs = Math.max(judgedMs, arrival.receivedAtMs)
    const gathered = gather(line, message, judgedMs)
    if (gathered === 'incomplete') return refuse(line, arrival.reply, refusal('not_ready'))
    const pending = pendingOf(line, arrival, message, gathered)
    pending.times.parse = micros(parsedNs - arrival.receivedNs)
    pending.times.recall = micros(recalledNs - parsedNs)
    lap(line, pending, 'stateRead', recalledNs)

    if (gathered === null) {
      pending.trace.push([...CARD_NOT_FOUND_ROW] as MutableTraceRow)
      return decide(pending, recordOf(line, pending), 'card_not_found')
    }
    const reason = judge(gathered.judged, pending.trace)
    lap(line, pending, 'controls')
    const record = recordOf(line, pending)
    if (reason !== null) return decide(pending, record, reason)

    reserve(line, gathered)
    lap(line, pending, 'reserve')
    if (!gathered.judged.program.realtime) return decide(pending, record, null)
    askTenant(pending, gathered, record)
  }

  function askTenant(pending: Pending, gathered: Gathered, record: AuthorizationRecord): void {
    pending.tenant = unaskable(line, pending, gathered)
    if (pending.tenant !== null || gathered.endpoint === null) {
      if (pending.tenant !== null) line.metrics.countTenant(pending.tenant.outcome)
      return decide(pending, record, null)
    }
    // Open from here: repeats join, and the reservation stands while the tenant thinks.
    open.set(pending.message.keyText, pending)
    ask(line, pending, gathered.endpoint, questionText(line, record, pending), {
      onAnswer(reply: TenantRecord): void {
        pending.tenant = reply
        lap(line, pending, 'tenantWait')
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
    if (!line.journal.writable) {
      if (staticReason === null && pending.gathered !== null) unreserve(line, pending.gathered)
      for (const arrival of pending.arrivals) refuse(line, arrival.reply, refusal('overloaded'))
      open.delete(pending.message.keyText)
      return
    }
    conclude(line, pending, record, staticReason)
    open.set(pending.message.keyText, pending)
    unanswered.add(pending)
  }

  return {
    authorize,
    synced: (seq) => answer(line, open, unanswered, seq),
    get open() {
      return open.size
    },
  }
}

/** Why nothing can be decided now, or null. */
function overload(line: Line, open: number): Refused | null {
  const unready = line.unready()
  if (unready !== null) return refusal('not_ready', null, unready)
  const { journal } = line
  if (!journal.writable || journal.waiting >= JOURNAL_QUEUE_MAX || open >= OPEN_MAX)
    return refusal('overloaded')
  return journal.waitingMs > JOURNAL_AGE_MS_MAX ? refusal('overloaded') : null
}

function pendingOf(
  line: Line,
  arrival: Arrival,
  message: Message,
  gathered: Gathered | null,
): Pending {
  return {
    message,
    receivedAtMs: arrival.receivedAtMs,
    receivedNs: arrival.receivedNs,
    arrivals: [arrival],
    gathered,
    trace: [],
    times: {
      parse: 0,
      recall: 0,
      stateRead: 0,
      controls: 0,
      reserve: 0,
      sign: 0,
      connect: 0,
      tenantWait: 0,
      lastNs: 0,
    },
    tenant: null,
    breaker: null,
    transactionId: gathered === null ? null : line.newTransactionId(arrival.receivedAtMs),
    requestId: line.secrets.derivation()?.requestId(message.messageKey) ?? '',
    entry: null,
    seq: 0,
    answer: '',
  }
}

function recordOf(line: Line, pending: Pending): AuthorizationRecord {
  const judged = pending.gathered?.judged ?? null
  const versions: [number, number, number] = [0, 0, 0]
  for (const { scope, version } of judged?.controls ?? [])
    versions[scope === 'program' ? 0 : scope === 'cardholder' ? 1 : 2] = version
  return {
    transactionId: pending.transactionId?.text ?? null,
    requestId: pending.requestId,
    environment: pending.message.environment,
    receivedAtMs: pending.receivedAtMs,
    budgetMs: line.budgetMs,
    message: pending.message.record,
    card:
      judged === null
        ? null
        : {
            tenantId: judged.card.tenant_id,
            programId: judged.program.id,
            programVersion: judged.program.version,
            cardholderId: judged.cardholder.id,
            cardholderVersion: judged.cardholder.version,
            cardholderStatus: judged.cardholder.status,
            cardId: judged.card.id,
            cardVersion: judged.card.version,
            cardStatus: judged.card.status,
            cardType: judged.card.card_type,
            last4: judged.card.last4,
            currency: judged.card.currency,
            controlVersions: versions,
          },
    cvc: judged?.cvc ?? 'not_checked',
    expiry: judged?.expiry ?? 'not_checked',
    trace: pending.trace,
    build: line.build,
    pin: judged?.pin ?? 'not_checked',
    threeDs: judged?.threeDs ?? 'none',
    walletToken: judged?.walletToken ?? null,
    cardAmountCents: judged?.cardAmountCents ?? 0,
    fx: judged?.fx ?? null,
    judgedSeq: line.state.seq,
  }
}

/** Chosen: a reply after the deadline is a second entry that changes nothing but what people can see. */
function recordLate(line: Line, pending: Pending, reply: TenantRecord, approve: boolean): void {
  const { entry } = pending
  if (
    entry === null ||
    entry.transactionId === null ||
    entry.card === null ||
    !line.journal.writable
  )
    return
  const late = {
    kind: 'late_reply' as const,
    transactionId: entry.transactionId,
    tenantId: entry.card.tenantId,
    environment: entry.environment,
    repliedAtMs: line.clock.nowMs(),
    outcome: approve ? ('late_approve' as const) : ('late_decline' as const),
    latencyMs: reply.latencyMs ?? 0,
    reason: reply.reason,
    disagrees: approve !== entry.decision.approved,
  }
  line.metrics.countTenant(late.outcome)
  step(line.state, { type: 'entry', seq: line.journal.append(encodeEntry(late)), entry: late })
}

type Lap = 'stateRead' | 'controls' | 'reserve' | 'tenantWait'

/** Ends a step: its microseconds are those since the step before ended. */
function lap(
  line: Line,
  pending: Pending,
  name: Lap,
  sinceNs: number = pending.times.lastNs,
): void {
  const nowNs = line.clock.monotonicNs()
  pending.times[name] = micros(nowNs - sinceNs)
  pending.times.lastNs = nowNs
  line.metrics.observe(name, pending.times[name])
}

function micros(ns: number): number {
  return Math.round(ns / 1000)
}
