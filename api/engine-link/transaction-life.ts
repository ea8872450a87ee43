// A card transaction while its entries are applied: in memory, in the journal's order, whatever
// their number in one batch. Pure. The engine's sums are taken over, never computed again.
import { REQUEST_KINDS } from '../../shared/schemas/network-message.ts'
import {
  MOMENTS_MAX,
  type Moment,
  UNLISTED_KINDS,
} from '../../shared/schemas/transaction-moments.ts'
import { SUM_NAMES, type Sums, transactionStatus } from '../../shared/transaction-sums.ts'
import type { Environment } from '../../shared/wire/config-records.ts'
import type { DecisionEntry, LateReplyEntry } from '../../shared/wire/journal-entry.ts'
import {
  requestOf,
  type StoredTransaction,
  type TransactionState,
} from '../issuing/transactions/index.ts'
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
  /** True when stand-in decided any of its authorization requests. */
  standIn: boolean
  /** The latest authorization request; the first message when there was none. */
  request: DecisionEntry
}

/** A transaction as stored in its row. */
export function storedLife(row: StoredTransaction): Life {
  const { entry, ...state } = row
  const request = requestOf(entry)
  return { ...lineage(request), ...state, request }
}

/**
 * A transaction that begins with this message, without any history yet. Usually the message is its
 * first; after a refused first message the next one takes its place.
 */
export function bornLife({ id, entry }: MessageEntry, originalTransactionId: string | null): Life {
  return {
    ...lineage(entry),
    id,
    seq: null,
    createdAt: entry.receivedAtMs,
    sequence: 0,
    requestSequence: 0,
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
    request: entry,
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

/** Applies one message or expiry to the transaction, and returns the resulting moment. */
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
    if (life.requestSequence === 0 || asksAgain(life.request, drained.entry)) {
      life.request = drained.entry
      life.requestSequence = life.sequence
    }
  }
  return moment
}

/**
 * A decision that the network made in our place is shown as an authorization request only when we
 * know no request of our own.
 */
function asksAgain(shown: DecisionEntry, next: DecisionEntry): boolean {
  if (isRequest(next)) return true
  return next.message.kind === 'advice' && !isRequest(shown) && shown.message.kind !== 'advice'
}

function isRequest({ message }: DecisionEntry): boolean {
  return (REQUEST_KINDS as readonly string[]).includes(message.kind)
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

/**
 * Records a reply that came after its deadline, with the authorization request it answers. The
 * first reply to a request counts; returns false for another.
 */
export function noteLateReply(life: Life, entry: LateReplyEntry): boolean {
  const { sequence } = entry
  if (life.lateSequence !== null && life.lateSequence >= sequence) return false
  life.lateSequence = sequence
  life.lateOutcome = entry.outcome
  life.lateMs = Math.round(entry.latencyMs)
  life.lateDisagrees = entry.disagrees
  return true
}
