// One journal entry on its way into Postgres: its meaning for the tables, or the reason it is
// a poison entry.
import { assert } from '../../shared/assert.ts'
import { OF_PAYMENT_ACCOUNT } from '../../shared/transaction-sums.ts'
import {
  type CardRecord,
  type CardSuspensionEntry,
  type DecisionEntry,
  decodeEntry,
  type Effect,
  type ExpiryEntry,
  type JournalEntry,
  type LateReplyEntry,
} from '../../shared/wire/journal-entry.ts'

export interface RawEntry {
  seq: number
  bytes: Buffer
}

/**
 * A message about a card: it begins or continues a transaction, and makes one event of its tenant.
 */
export interface MessageEntry extends RawEntry {
  to: 'card_transactions'
  id: string
  card: CardRecord
  effect: Effect
  entry: DecisionEntry
}

/** An expired hold: it continues a transaction and makes an event too. */
export interface ExpiredEntry extends RawEntry {
  to: 'expiry'
  id: string
  effect: Effect
  entry: ExpiryEntry
}

/** A message about an unknown card. */
export interface UnmatchedEntry extends RawEntry {
  to: 'unmatched_messages'
  entry: DecisionEntry
}

export interface LateEntry extends RawEntry {
  to: 'late_reply'
  id: string
  entry: LateReplyEntry
}

export interface StoppedEntry extends RawEntry {
  to: 'cards'
  entry: CardSuspensionEntry
}

export interface UnreadableEntry extends RawEntry {
  to: 'drain_quarantine'
  error: string
}

/** A message about a payment account, or an expired hold of one. */
export interface PaymentEntry extends RawEntry {
  to: 'payments'
  /** `txn_…` of the engine's transaction. */
  id: string
  /** Its `sequence` counts the effects on the transaction, from 1 and without gaps. */
  effect: Effect
  entry: DecisionEntry | ExpiryEntry
}

export type DrainedEntry =
  | PaymentEntry
  | MessageEntry
  | ExpiredEntry
  | UnmatchedEntry
  | LateEntry
  | StoppedEntry
  | UnreadableEntry

/** Never throws: an entry of an unknown format or shape goes to the quarantine. */
export function drainedEntry(raw: RawEntry): DrainedEntry {
  try {
    return addressed(raw, decodeEntry(raw.bytes))
  } catch (cause) {
    return { ...raw, to: 'drain_quarantine', error: String(cause) }
  }
}

function addressed(raw: RawEntry, entry: JournalEntry): DrainedEntry {
  switch (entry.kind) {
    case 'late_reply':
      return { ...raw, to: 'late_reply', id: entry.transactionId, entry }
    case 'expiry':
      if ((entry.effect.flags & OF_PAYMENT_ACCOUNT) !== 0)
        return { ...raw, to: 'payments', id: entry.transactionId, effect: entry.effect, entry }
      return { ...raw, to: 'expiry', id: entry.transactionId, effect: entry.effect, entry }
    case 'card_suspension':
      return { ...raw, to: 'cards', entry }
    case 'decision': {
      const { card, transactionId: id, effect } = entry
      if (card === null || id === null) return { ...raw, to: 'unmatched_messages', entry }
      assert(effect !== null, 'a message about a card has an effect')
      return card.cardType === 'account'
        ? { ...raw, to: 'payments', id, effect, entry }
        : { ...raw, to: 'card_transactions', id, card, effect, entry }
    }
  }
}
