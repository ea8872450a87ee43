// The result of a batch of journal entries: the transactions after it, every message about them,
// every event with the data that GET shows at its moment, and the poison entries. Pure, in
// the journal's order.
import type { EpochMs } from '../../shared/clock.ts'
import type { EventType } from '../../shared/event-catalog.ts'
import type { Moment } from '../../shared/schemas/transaction-moments.ts'
import type { LateReplyEntry } from '../../shared/wire/journal-entry.ts'
import type { FraudSuspension } from '../issuing/cards/index.ts'
import { requestView } from '../issuing/transactions/index.ts'
import type {
  DrainedEntry,
  ExpiredEntry,
  LateEntry,
  MessageEntry,
  StoppedEntry,
} from './drained-entry.ts'
import { derivedEventId, transactionEventId } from './event-id.ts'
import { foreignFlags, isForgotten, messageKey, type Stored } from './stored.ts'
import { bornLife, type Life, live, noteLateReply } from './transaction-life.ts'

/** An event without its number yet. */
export interface Announcement {
  id: string
  type: EventType
  tenantId: string
  environment: string
  resourceId: string
  createdAtMs: EpochMs
  /** Built on demand: a thousand of them at once would survive the collector's young generation. */
  data(): { readonly [name: string]: unknown }
}

export interface LivedMoment {
  transactionId: string
  network: string
  eventType: EventType
  moment: Moment
  entry: MessageEntry | ExpiredEntry
}

export interface RefusedEntry {
  entry: DrainedEntry
  error: string
}

export interface NotedReply {
  life: Life
  entry: LateReplyEntry
}

export interface Batch {
  /** Transactions that the batch changed. */
  lives: ReadonlySet<Life>
  /** Late replies that are the first ones to their authorization requests. */
  lateReplies: readonly NotedReply[]
  moments: readonly LivedMoment[]
  announcements: readonly Announcement[]
  refused: readonly RefusedEntry[]
}

interface Growing extends Batch {
  /**
   * Transactions that began in this batch, keyed by a network's name for them; null when not
   * needed.
   */
  begun: Map<string, Life[]> | null
  lives: Set<Life>
  lateReplies: NotedReply[]
  moments: LivedMoment[]
  announcements: Announcement[]
  refused: RefusedEntry[]
}

/**
 * Updates `stored` in place: it holds the current state of every transaction. `suspended` is keyed
 * by card id.
 */
export function batchOf(
  entries: readonly DrainedEntry[],
  stored: Stored,
  suspended: ReadonlyMap<string, FraudSuspension>,
): Batch {
  const isAskedFor = entries.some((entry) => entry.to === 'card_transactions' && isForgotten(entry))
  const batch: Growing = {
    begun: isAskedFor ? new Map() : null,
    lives: new Set(),
    lateReplies: [],
    moments: [],
    announcements: [],
    refused: [],
  }
  const announced = new Set<string>()
  for (const drained of entries) {
    if (drained.to === 'card_transactions') addMessage(batch, stored, drained)
    else if (drained.to === 'expiry') addExpiry(batch, stored, drained)
    else if (drained.to === 'late_reply') addLateReply(batch, stored, drained)
    else if (drained.to === 'cards') {
      const { cardId } = drained.entry
      const suspension = announced.has(cardId) ? undefined : suspended.get(cardId)
      announced.add(cardId)
      if (suspension !== undefined) batch.announcements.push(suspensionOf(drained, suspension))
    } else if (drained.to === 'drain_quarantine')
      batch.refused.push({ entry: drained, error: drained.error })
  }
  return batch
}

function addMessage(batch: Growing, stored: Stored, drained: MessageEntry): void {
  const { id, entry } = drained
  const key = messageKey(entry.message.network, entry.message.id)
  const before = stored.messages.get(key)
  if (before !== undefined) {
    // A different answer to the same message must not go unnoticed.
    if (!before.equals(drained.bytes))
      refuse(batch, drained, 'another decision about this message is stored')
    return
  }
  const life = stored.lives.get(id) ?? begin(batch, stored, drained)
  if (drained.effect.sequence <= life.sequence)
    return refuse(batch, drained, 'another entry has this place in its transaction')
  stored.messages.set(key, drained.bytes)
  stored.lives.set(id, life)
  addMoment(batch, life, drained)
}

function begin(batch: Growing, stored: Stored, drained: MessageEntry): Life {
  const { id } = drained
  const { begun } = batch
  if (begun === null) return bornLife(drained, null)
  const name = networkName(drained)
  const others = begun.get(name) ?? []
  const inBatch = isForgotten(drained)
    ? others.find(({ flags }) => (flags & foreignFlags(drained)) === 0)?.id
    : undefined
  const life = bornLife(drained, stored.originals.get(id) ?? inBatch ?? null)
  begun.set(name, [...others, life])
  return life
}

function networkName({ card, entry }: MessageEntry): string {
  const { network, originalNetworkTransactionId } = entry.message
  return JSON.stringify([card.tenantId, entry.environment, network, originalNetworkTransactionId])
}

function addExpiry(batch: Growing, stored: Stored, drained: ExpiredEntry): void {
  const life = stored.lives.get(drained.id)
  if (life === undefined)
    return refuse(batch, drained, 'the transaction whose hold ran out is not stored')
  if (drained.effect.sequence <= life.sequence)
    return refuse(batch, drained, 'another entry has this place in its transaction')
  addMoment(batch, life, drained)
}

/** A late reply changes only the displayed data, so it is no event and moves no sequence. */
function addLateReply(batch: Growing, stored: Stored, drained: LateEntry): void {
  const life = stored.lives.get(drained.id)
  if (life === undefined)
    return refuse(batch, drained, 'the transaction that was answered late is not stored')
  if (noteLateReply(life, drained.entry)) batch.lateReplies.push({ life, entry: drained.entry })
  batch.lives.add(life)
}

function refuse(batch: Growing, entry: DrainedEntry, error: string): void {
  batch.refused.push({ entry, error })
}

function addMoment(batch: Growing, life: Life, drained: MessageEntry | ExpiredEntry): void {
  const moment = live(life, drained)
  const type = ('card.transaction.' + drained.effect.event) as EventType
  const at =
    drained.to === 'expiry' ? drained.entry.expiredAtMs : drained.entry.decision.decidedAtMs
  // The transaction changes further in this batch; the event shows its state here. Its lists are
  // replaced and never modified.
  const then = { ...life }
  batch.lives.add(life)
  batch.moments.push({
    transactionId: life.id,
    network: life.network,
    eventType: type,
    moment,
    entry: drained,
  })
  batch.announcements.push({
    id: transactionEventId(type, { transactionId: life.id, sequence: life.sequence, at }),
    type,
    tenantId: life.tenantId,
    environment: life.environment,
    resourceId: life.id,
    createdAtMs: at,
    data: () => ({ transaction: requestView(then.request, then) }),
  })
}

function suspensionOf({ entry }: StoppedEntry, { card, event }: FraudSuspension): Announcement {
  const { cardId, tenantId, environment, suspendedAtMs } = entry
  return {
    id: derivedEventId(event, cardId + ':' + suspendedAtMs, suspendedAtMs),
    type: event,
    tenantId,
    environment,
    resourceId: cardId,
    createdAtMs: suspendedAtMs,
    data: () => ({ card }),
  }
}
