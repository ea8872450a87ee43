// The only way a card transaction's row becomes public: GET, list and the events of the drain use it.

import { assert } from '../../../shared/assert.ts'
import {
  type CardTransaction,
  cardTransaction,
  type TransactionSource,
} from '../../../shared/schemas/card-transaction.ts'
import { decodeEntry } from '../../../shared/wire/journal-entry.ts'

export interface TransactionRow {
  /** The journal entry of the decision, byte for byte. */
  entry: Uint8Array
  /** Counts what happened to this transaction, from 1. */
  sequence: number
  lateOutcome: 'late_approve' | 'late_decline' | null
  lateMs: number | null
  lateDisagrees: boolean | null
}

/** What the public shape is made from. The entry was written by our engine, so one that does not fit is our bug. */
export function transactionSource(row: TransactionRow): TransactionSource {
  const entry = decodeEntry(row.entry)
  assert(entry.kind === 'decision', 'a transaction row holds the entry of a decision')
  const { transactionId, card } = entry
  assert(transactionId !== null && card !== null, 'a drained transaction has an id and a card')
  return {
    record: { ...entry, transactionId, card },
    decision: entry.decision,
    late:
      row.lateOutcome === null
        ? null
        : {
            outcome: row.lateOutcome,
            latencyMs: row.lateMs ?? 0,
            disagrees: row.lateDisagrees ?? false,
          },
    sequence: row.sequence,
  }
}

/** Amounts are integers of the currency's minor unit. */
export function transactionView(row: TransactionRow): CardTransaction {
  return cardTransaction(transactionSource(row))
}
