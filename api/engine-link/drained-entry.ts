// One journal entry on its way into Postgres: what it means for the tables, or why it cannot go there.
import { unixSeconds } from '../../shared/clock.ts'
import type { EventType } from '../../shared/event-catalog.ts'
import {
  type DecisionEntry,
  decodeEntry,
  type LateReplyEntry,
} from '../../shared/wire/journal-entry.ts'
import { eventBytes } from '../resources/events/index.ts'
import { transactionView } from '../resources/transactions/index.ts'
import { derivedEventId } from './event-id.ts'

export interface RawEntry {
  seq: number
  bytes: Buffer
}

/** A decision about a card: one transaction and one event of its tenant. */
export interface TransactionEntry extends RawEntry {
  to: 'card_transactions'
  id: string
  tenantId: string
  card: NonNullable<DecisionEntry['card']>
  entry: DecisionEntry
}

/** A decision about a card nobody here has. */
export interface UnmatchedEntry extends RawEntry {
  to: 'unmatched_messages'
  entry: DecisionEntry
}

export interface LateEntry extends RawEntry {
  to: 'late_reply'
  entry: LateReplyEntry
}

export interface UnreadableEntry extends RawEntry {
  to: 'drain_quarantine'
  error: string
}

export type DrainedEntry = TransactionEntry | UnmatchedEntry | LateEntry | UnreadableEntry

/** Never throws: an entry of an unknown format or shape is for the quarantine. */
export function drainedEntry(raw: RawEntry): DrainedEntry {
  try {
    const entry = decodeEntry(raw.bytes)
    if (entry.kind === 'expiry' || entry.kind === 'card_suspension')
      return { ...raw, to: 'drain_quarantine', error: 'not drained yet' }
    if (entry.kind === 'late_reply') return { ...raw, to: 'late_reply', entry }
    const { card, transactionId: id } = entry
    if (card === null || id === null) return { ...raw, to: 'unmatched_messages', entry }
    return { ...raw, to: 'card_transactions', id, tenantId: card.tenantId, card, entry }
  } catch (cause) {
    return { ...raw, to: 'drain_quarantine', error: String(cause) }
  }
}

export interface DrainedEvent {
  id: string
  type: EventType
  createdAtMs: number
  body: Buffer
}

/** The event of a decision: its data is what GET shows of the transaction from the same commit on. */
export function eventOf(drained: TransactionEntry, apiVersion: string): DrainedEvent {
  const { decision } = drained.entry
  const type = decision.approved ? 'card.transaction.authorized' : 'card.transaction.declined'
  const createdAtMs = decision.decidedAtMs
  const id = derivedEventId(type, drained.id, createdAtMs)
  const transaction = transactionView({
    entry: drained.bytes,
    sequence: 1,
    lateOutcome: null,
    lateMs: null,
    lateDisagrees: null,
  })
  const body = eventBytes({
    id,
    type,
    created: unixSeconds(createdAtMs),
    api_version: apiVersion,
    data: { transaction },
  })
  return { id, type, createdAtMs, body }
}
