// The events of GET /v1/card_transactions/stream. Each has the number of the last transaction it
// covers as its id.
import type { Static } from 'typebox'
import { AUTHORIZATION_KINDS } from '../authorization-kind.ts'
import { Type } from '../schema-builders.ts'
import { TRANSACTION_STATUSES } from '../transaction-sums.ts'
import { described } from './described.ts'

const Count = Type.Integer({ minimum: 0 })
const TextOrNull = Type.Union([Type.String(), Type.Null()])

/** One transaction as it was when it was read. */
export const FeedRow = Type.Object({
  id: Type.String(),
  created_at: described(
    Type.String(),
    'When its first message came, ISO 8601 in milliseconds, by your clock.',
  ),
  card_id: Type.String(),
  cardholder_id: Type.String(),
  last4: Type.String(),
  merchant_name: Type.String(),
  mcc: Type.String(),
  amount_cents: described(Type.Integer(), 'Requested, in minor units of the currency.'),
  approved_cents: Type.Integer(),
  currency: Type.String(),
  status: Type.Enum([...TRANSACTION_STATUSES]),
  kind: Type.Enum([...AUTHORIZATION_KINDS]),
  decline_reason: TextOrNull,
  stand_in: Type.Boolean(),
})
export type FeedRow = Static<typeof FeedRow>

/** `transactions`: the new ones since the event before. */
export const FeedTick = Type.Object({
  at: described(Type.String(), 'When they were read, ISO 8601 in milliseconds, by your clock.'),
  lag_ms: described(
    Type.Union([Count, Type.Null()]),
    'Age of the newest one when it was read, in milliseconds; null without one.',
  ),
  counts: described(
    Type.Object({
      transactions: Count,
      approved: Count,
      declined: Count,
      reasons: described(Type.Record(Type.String(), Count), 'Declined ones by decline reason.'),
      asked: described(Count, 'Those whose authorization request was sent to your endpoint.'),
      stand_in: described(Count, 'Those that stand-in decided.'),
    }),
    'Counts of all new transactions, shown or not.',
  ),
  transactions: described(
    Type.Array(FeedRow),
    'Transactions in this event, at most 20; the declined ones come first.',
  ),
  shown: described(Count, 'How many are in this event.'),
  skipped: described(Count, 'How many were counted and are not in this event.'),
})
export type FeedTick = Static<typeof FeedTick>
