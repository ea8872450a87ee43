// Only this module makes a card transaction's row public: GET, list and the events of the drain use
// it.

import { assert } from '../../../shared/assert.ts'
import {
  type CardTransaction,
  cardTransaction,
  type TransactionSource,
} from '../../../shared/schemas/card-transaction.ts'
import {
  type CardTransactionMessage,
  cardTransactionMessage,
} from '../../../shared/schemas/card-transaction-message.ts'
import type { ClearingExceptionSummary } from '../../../shared/schemas/clearing-file.ts'
import type { DisputeSummary } from '../../../shared/schemas/dispute.ts'
import type { LateReply } from '../../../shared/schemas/transaction-decision.ts'
import type { Moment } from '../../../shared/schemas/transaction-moments.ts'
import { noSums, type Sums } from '../../../shared/transaction-sums.ts'
import { type DecisionEntry, decodeEntry } from '../../../shared/wire/journal-entry.ts'

/** The first reply after the deadline of an authorization request, as recorded. */
interface LateColumns {
  lateOutcome: 'late_approve' | 'late_decline' | null
  lateMs: number | null
  lateDisagrees: boolean | null
  /** Sequence of the authorization request with the late reply. */
  lateSequence: number | null
}

/** The transaction state beside the authorization request whose decision is shown. */
export interface TransactionState extends LateColumns {
  createdAt: number
  /** Counts the messages of this transaction, from 1. */
  sequence: number
  /** Sequence of the shown authorization request. */
  requestSequence: number
  /** The sums other than 0. */
  sums: Partial<Sums>
  flags: number
  /** 0 if no hold is open. */
  holdExpiresAt: number
  originalTransactionId: string | null
  /** The latest MOMENTS_MAX, in order. */
  moments: readonly Moment[]
  /**
   * The latest DISPUTES_SHOWN_MAX, oldest first. An event shows the disputes at its arrival in
   * PostgreSQL.
   */
  disputes: readonly DisputeSummary[]
  /** The latest CLEARING_EXCEPTIONS_SHOWN_MAX, in the same order. */
  clearingExceptions: readonly ClearingExceptionSummary[]
}

export interface TransactionRow extends TransactionState {
  /** Journal entry of the latest authorization request, byte for byte. */
  entry: Uint8Array
}

/** Amounts are integers of the currency's minor unit. */
export function transactionView(row: TransactionRow): CardTransaction {
  return requestView(requestOf(row.entry), row)
}

/** The engine wrote the entry, so a malformed entry is a bug. */
export function requestOf(bytes: Uint8Array): DecisionEntry {
  const entry = decodeEntry(bytes)
  assert(entry.kind === 'decision', 'a transaction shows the entry of a decision')
  return entry
}

/** Returns a transaction by its latest authorization request, already decoded. */
export function requestView(request: DecisionEntry, state: TransactionState): CardTransaction {
  return cardTransaction(sourceOf(request, state))
}

function sourceOf(request: DecisionEntry, state: TransactionState): TransactionSource {
  assert(isOfCard(request), 'a drained transaction has an id and a card')
  return {
    record: request,
    decision: request.decision,
    effect: request.effect,
    late: lateReplyTo(state.requestSequence, state),
    sequence: state.sequence,
    life: {
      createdAtMs: state.createdAt,
      sums: { ...noSums(), ...state.sums },
      flags: state.flags,
      holdExpiresAtMs: state.holdExpiresAt,
      moments: state.moments,
      originalTransactionId: state.originalTransactionId,
      disputes: state.disputes,
      clearingExceptions: state.clearingExceptions,
    },
  }
}

function isOfCard(request: DecisionEntry): request is DecisionEntry & TransactionSource['record'] {
  return request.transactionId !== null && request.card !== null
}

function lateReplyTo(sequence: number, late: LateColumns): LateReply | null {
  const { lateOutcome: outcome, lateMs, lateDisagrees } = late
  if (outcome === null || late.lateSequence !== sequence) return null
  return { outcome, latencyMs: lateMs ?? 0, disagrees: lateDisagrees ?? false }
}

export interface MessageRow extends LateColumns {
  transactionId: string
  sequence: number
  /** The journal entry of the message or expiry, byte for byte. */
  entry: Uint8Array
}

export function messageView(row: MessageRow): CardTransactionMessage {
  const { transactionId, sequence } = row
  const entry = decodeEntry(row.entry)
  assert(entry.kind === 'decision' || entry.kind === 'expiry', 'only these do something')
  const { effect } = entry
  assert(effect !== null, 'a drained message has an effect')
  return cardTransactionMessage({ transactionId, entry, effect, late: lateReplyTo(sequence, row) })
}
