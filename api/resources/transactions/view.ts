// The only way a card transaction's row becomes public: GET, list and the events of the drain use it.

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

/** The first reply after the deadline of a question, as it was noted. */
interface LateColumns {
  lateOutcome: 'late_approve' | 'late_decline' | null
  lateMs: number | null
  lateDisagrees: boolean | null
  /** The question that was answered late. */
  lateSequence: number | null
}

/** What is known of a transaction beside the question whose decision is shown. */
export interface TransactionState extends LateColumns {
  createdAt: number
  /** Counts what happened to this transaction, from 1. */
  sequence: number
  /** The message that asked the question shown. */
  questionSequence: number
  /** Those that are not 0. */
  sums: Partial<Sums>
  flags: number
  /** 0 where no hold is open. */
  holdExpiresAt: number
  originalTransactionId: string | null
  /** The latest MOMENTS_MAX, in order. */
  moments: readonly Moment[]
  /** The latest DISPUTES_SHOWN_MAX, oldest first. An event tells those that were there when it reached PostgreSQL. */
  disputes: readonly DisputeSummary[]
  /** The same of the latest CLEARING_EXCEPTIONS_SHOWN_MAX. */
  clearingExceptions: readonly ClearingExceptionSummary[]
}

export interface TransactionRow extends TransactionState {
  /** The journal entry of the latest question, byte for byte. */
  entry: Uint8Array
}

/** Amounts are integers of the currency's minor unit. */
export function transactionView(row: TransactionRow): CardTransaction {
  return questionView(questionOf(row.entry), row)
}

/** The entry was written by our engine, so one that does not fit is our bug. */
export function questionOf(bytes: Uint8Array): DecisionEntry {
  const entry = decodeEntry(bytes)
  assert(entry.kind === 'decision', 'a transaction shows the entry of a decision')
  return entry
}

/** A transaction by its latest question, already decoded. */
export function questionView(question: DecisionEntry, state: TransactionState): CardTransaction {
  return cardTransaction(sourceOf(question, state))
}

function sourceOf(question: DecisionEntry, state: TransactionState): TransactionSource {
  assert(isOfCard(question), 'a drained transaction has an id and a card')
  return {
    record: question,
    decision: question.decision,
    effect: question.effect,
    late: lateReplyTo(state.questionSequence, state),
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

function isOfCard(
  question: DecisionEntry,
): question is DecisionEntry & TransactionSource['record'] {
  return question.transactionId !== null && question.card !== null
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
