// A network's report of the messages it cleared on a day, and its differences from the recorded
// messages.
import { type Static, Type } from 'typebox'
import { MOMENT_OR_NULL } from './moment.ts'
import type { MessageKind } from './network-message.ts'

/** Messages that move money, and therefore stand in clearing files. */
export const CLEARED_KINDS = [
  'capture',
  'refund',
  'capture_reversal',
  'refund_reversal',
] as const satisfies readonly MessageKind[]
export type ClearedKind = (typeof CLEARED_KINDS)[number]

/**
 * One movement of money as a file names it: by the network's message, in the currency of that
 * message.
 */
export const ClearingEntry = Type.Object(
  {
    /** The network’s own id of the message. */
    message_id: Type.String({ minLength: 1, maxLength: 128, pattern: '^[\\x21-\\x7e]+$' }),
    /** The kind of the message that moved the money. */
    kind: Type.Enum([...CLEARED_KINDS]),
    /** The moved amount, in minor units of currency. */
    amount_cents: Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER }),
    currency: Type.String({ pattern: '^[A-Z]{3}$' }),
  },
  { additionalProperties: false },
)
export type ClearingEntry = Static<typeof ClearingEntry>

export const CLEARING_EXCEPTION_KINDS = [
  'amount_mismatch',
  'currency_mismatch',
  'missing_here',
  'missing_in_file',
  'named_twice',
] as const
export type ClearingExceptionKind = (typeof CLEARING_EXCEPTION_KINDS)[number]

export const ClearingFile = Type.Object({
  id: Type.String(),
  object: Type.Literal('clearing_file'),
  created: Type.Integer(),
  livemode: Type.Boolean(),
  /** The card network of the file. */
  network: Type.String(),
  /** The network's own id of the file. */
  file_id: Type.String(),
  /** The day it is about, YYYY-MM-DD in UTC. */
  business_date: Type.String(),
  status: Type.Enum(['open', 'closed']),
  /** ISO 8601; null while parts may follow. */
  closed_at: MOMENT_OR_NULL,
  /** How many movements the file names so far. */
  entries: Type.Integer(),
  /** The number of entries that agree with the recorded messages. */
  matched: Type.Integer(),
  /** How many of each kind; `missing_in_file` is known once the file is closed. */
  exceptions: Type.Object({
    /** Another amount is recorded. */
    amount_mismatch: Type.Integer(),
    /** Another currency is recorded. */
    currency_mismatch: Type.Integer(),
    /** The file names it, and nothing is recorded. */
    missing_here: Type.Integer(),
    /** It is recorded, and the file does not name it. */
    missing_in_file: Type.Integer(),
    /** The file names it more than once. */
    named_twice: Type.Integer(),
  }),
})
export type ClearingFile = Static<typeof ClearingFile>

const NullableText = Type.Union([Type.String(), Type.Null()])
const NullableMoney = Type.Union([
  Type.Object({ amount_cents: Type.Integer(), currency: Type.String() }),
  Type.Null(),
])

export const ClearingException = Type.Object({
  object: Type.Literal('clearing_exception'),
  created: Type.Integer(),
  livemode: Type.Boolean(),
  /** The file in which it was found. */
  clearing_file_id: Type.String(),
  network: Type.String(),
  business_date: Type.String(),
  /** The field in which they differ. */
  kind: Type.Enum([...CLEARING_EXCEPTION_KINDS]),
  message_id: Type.String(),
  /** The kind of the message in question. */
  message_kind: Type.Enum([...CLEARED_KINDS]),
  /** The value in the file. */
  in_file: NullableMoney,
  /** The value in the network's message. */
  recorded: NullableMoney,
  /** The tenant of the transaction; null if no transaction is recorded. */
  tenant_id: NullableText,
  transaction_id: NullableText,
  /** The place of the message in its transaction. */
  sequence: Type.Union([Type.Integer(), Type.Null()]),
})
export type ClearingException = Static<typeof ClearingException>

/**
 * Chosen: a transaction shows its latest exceptions; all of them are listed by `transaction_id`.
 */
export const CLEARING_EXCEPTIONS_SHOWN_MAX = 20

/** An exception as its transaction shows it. */
export interface ClearingExceptionSummary {
  clearingFileId: string
  kind: ClearingExceptionKind
  /** The place of the message in its transaction. */
  sequence: number
  createdAtMs: number
}
