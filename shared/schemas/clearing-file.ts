// A network's report of the messages it cleared on a day, and its differences from the recorded
// messages.
import type { Static } from 'typebox'
import { Type } from '../schema-builders.ts'
import { described } from './described.ts'
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
    message_id: described(
      Type.String({ minLength: 1, maxLength: 128, pattern: '^[\\x21-\\x7e]+$' }),
      'The network’s own id of the message.',
    ),
    kind: described(Type.Enum([...CLEARED_KINDS]), 'The kind of the message that moved the money.'),
    amount_cents: described(
      Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER }),
      'The moved amount, in minor units of currency.',
    ),
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
  network: described(Type.String(), 'The card network of the file.'),
  file_id: described(Type.String(), "The network's own id of the file."),
  business_date: described(Type.String(), 'The day it is about, YYYY-MM-DD in UTC.'),
  status: Type.Enum(['open', 'closed']),
  closed_at: described(MOMENT_OR_NULL, 'ISO 8601; null while parts may follow.'),
  entries: described(Type.Integer(), 'How many movements the file names so far.'),
  matched: described(
    Type.Integer(),
    'The number of entries that agree with the recorded messages.',
  ),
  exceptions: described(
    Type.Object({
      amount_mismatch: described(Type.Integer(), 'Another amount is recorded.'),
      currency_mismatch: described(Type.Integer(), 'Another currency is recorded.'),
      missing_here: described(Type.Integer(), 'The file names it, and nothing is recorded.'),
      missing_in_file: described(Type.Integer(), 'It is recorded, and the file does not name it.'),
      named_twice: described(Type.Integer(), 'The file names it more than once.'),
    }),
    'How many of each kind; missing_in_file is known once the file is closed.',
  ),
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
  clearing_file_id: described(Type.String(), 'The file in which it was found.'),
  network: described(Type.String(), 'The card network of the file.'),
  business_date: described(Type.String(), 'The day it is about, YYYY-MM-DD in UTC.'),
  kind: described(Type.Enum([...CLEARING_EXCEPTION_KINDS]), 'The field in which they differ.'),
  message_id: Type.String(),
  message_kind: described(Type.Enum([...CLEARED_KINDS]), 'The kind of the message in question.'),
  in_file: described(NullableMoney, 'The value in the file.'),
  recorded: described(NullableMoney, "The value in the network's message."),
  tenant_id: described(
    NullableText,
    'The tenant of the transaction; null if no transaction is recorded.',
  ),
  transaction_id: NullableText,
  sequence: described(
    Type.Union([Type.Integer(), Type.Null()]),
    'The place of the message in its transaction.',
  ),
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
