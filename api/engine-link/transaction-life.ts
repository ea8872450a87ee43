// A card transaction while the entries about it are applied: in memory, in the journal's order, whatever their number in one
// batch. Pure. What the engine says of the sums is taken over, never computed again.
import { QUESTION_KINDS } from '../../shared/schemas/network-message.ts'
import {
  MOMENTS_MAX,
  type Moment,
  UNLISTED_KINDS,
} from '../../shared/schemas/transaction-moments.ts'
import { SUM_NAMES, type Sums, transactionStatus } from '../../shared/transaction-sums.ts'
import type { Environment } from '../../shared/wire/facts.ts'
import type { DecisionEntry, LateReplyEntry } from '../../shared/wire/journal-entry.ts'
import {
  questionOf,
  type StoredTransaction,
  type TransactionState,
} from '../resources/transactions/index.ts'
import type { ExpiredEntry, MessageEntry } from './drained-entry.ts'

export interface Life extends TransactionState {
  id: string
  tenantId: string
  environment: Environment
  cardId: string
  cardholderId: string
  network: string
  networkTransactionId: string
  /** Place in the tenant's list; null until the transaction has a row. */
  seq: number | null
  /** Whether any of its questions was decided by stand-in. */
  standIn: boolean
  /** The latest question; the first message where there was none. */
  question: DecisionEntry
}

/** A transaction as its row has it. */
export function storedLife(row: StoredTransaction): Life {
  const { entry, ...state } = row
  const question = questionOf(entry)
  return { ...lineage(question), ...state, question }
}

/**
 * A transaction that begins with this message: nothing has happened to it yet. Usually the message is its first; after its
 * first was refused, the next one stands in.
 */
export function bornLife({ id, entry }: MessageEntry, originalTransactionId: string | null): Life {
  return {
    ...lineage(entry),
    id,
    seq: null,
    createdAt: entry.receivedAtMs,
    sequence: 0,
    questionSequence: 0,
    sums: {},
    flags: 0,
    holdExpiresAt: 0,
    originalTransactionId,
    moments: [],
    disputes: [],
    clearingExceptions: [],
    lateOutcome: null,
    lateMs: null,
    lateDisagrees: null,
    lateSequence: null,
    standIn: false,
    question: entry,
  }
}

function lineage({ message, card, environment }: DecisionEntry) {
  return {
    tenantId: card?.tenantId ?? '',
    environment,
    cardId: card?.cardId ?? '',
    cardholderId: card?.cardholderId ?? '',
    network: message.network,
    networkTransactionId: message.originalNetworkTransactionId,
  }
}

/** Moves the transaction on by one message or expiry, and returns what happened. */
export function live(life: Life, drained: MessageEntry | ExpiredEntry): Moment {
  const { effect } = drained
  life.sequence = effect.sequence
  life.sums = sumsOf(effect.sums)
  life.flags = effect.flags
  life.holdExpiresAt = effect.holdExpiresAtMs
  const moment = momentOf(drained)
  if (!isUnlisted(moment.kind)) life.moments = [...life.moments, moment]
  life.moments = life.moments.filter(({ sequence }) => sequence > life.sequence - MOMENTS_MAX)
  if (drained.to === 'card_transactions') {
    life.standIn ||= drained.entry.decision.standIn
    if (life.questionSequence === 0 || asksAgain(life.question, drained.entry)) {
      life.question = drained.entry
      life.questionSequence = life.sequence
    }
  }
  return moment
}

/** What the network decided in our place is shown as a question only where no question of our own is known. */
function asksAgain(shown: DecisionEntry, next: DecisionEntry): boolean {
  if (isQuestion(next)) return true
  return next.message.kind === 'advice' && !isQuestion(shown) && shown.message.kind !== 'advice'
}

function isQuestion({ message }: DecisionEntry): boolean {
  return (QUESTION_KINDS as readonly string[]).includes(message.kind)
}

function isUnlisted(kind: Moment['kind']): boolean {
  return (UNLISTED_KINDS as readonly string[]).includes(kind)
}

function momentOf(drained: MessageEntry | ExpiredEntry): Moment {
  const { effect } = drained
  const told = {
    sequence: effect.sequence,
    amountCents: effect.amountCents,
    status: transactionStatus(effect.sums, effect.flags),
    flags: effect.flags,
  }
  if (drained.to === 'expiry') {
    const { expiredAtMs } = drained.entry
    return {
      ...told,
      kind: 'expiry',
      messageId: null,
      declineReason: null,
      createdAtMs: expiredAtMs,
    }
  }
  const { message, decision, receivedAtMs } = drained.entry
  return {
    ...told,
    kind: message.kind,
    messageId: message.id,
    declineReason: decision.declineReason,
    createdAtMs: receivedAtMs,
  }
}

function sumsOf(sums: Sums): Partial<Sums> {
  const kept: Partial<Sums> = {}
  for (const name of SUM_NAMES) if (sums[name] !== 0) kept[name] = sums[name]
  return kept
}

/** A question may have reached the engine this much after it was sent on, by the reckoning of two clocks. */
const SENT_TOLERANCE_MS = 50

/** Notes a reply that came after its deadline, with the question it answers; the first reply to a question counts. */
export function noteLateReply(life: Life, entry: LateReplyEntry): void {
  const sequence = entry.sequence ?? questionSentAt(life, entry.repliedAtMs - entry.latencyMs)
  if (life.lateSequence !== null && life.lateSequence >= sequence) return
  life.lateSequence = sequence
  life.lateOutcome = entry.outcome
  life.lateMs = Math.round(entry.latencyMs)
  life.lateDisagrees = entry.disagrees
}

/** Of a reply that names its transaction only, as they once did: the last question that was there when it was sent. */
function questionSentAt(life: Life, sentAtMs: number): number {
  const latestMs = sentAtMs + SENT_TOLERANCE_MS
  if (life.question.receivedAtMs <= latestMs) return life.questionSequence
  const earlier = life.moments.findLast(
    ({ kind, createdAtMs }) => kind === 'incremental' && createdAtMs <= latestMs,
  )
  return earlier?.sequence ?? 1
}
