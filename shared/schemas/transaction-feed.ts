// The events of GET /v1/card_transactions/stream. Each has the number of the last transaction it
// covers as its id.
import { type Static, Type } from 'typebox'
import { AUTHORIZATION_KINDS } from '../authorization-kind.ts'
import { TRANSACTION_STATUSES } from '../transaction-sums.ts'

const Count = Type.Integer({ minimum: 0 })
const TextOrNull = Type.Union([Type.String(), Type.Null()])

/** One transaction as it was when it was read. */
export const FeedRow = Type.Object({
  id: Type.String(),
  /** When its first message came, ISO 8601 in milliseconds, by your clock. */
  created_at: Type.String(),
  card_id: Type.String(),
  cardholder_id: Type.String(),
  last4: Type.String(),
  merchant_name: Type.String(),
  mcc: Type.String(),
  /** Requested, in minor units of the currency. */
  amount_cents: Type.Integer(),
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
  /** When they were read, ISO 8601 in milliseconds, by your clock. */
  at: Type.String(),
  /** Age of the newest one when it was read, in milliseconds; null without one. */
  lag_ms: Type.Union([Count, Type.Null()]),
  /** Counts of all new transactions, shown or not. */
  counts: Type.Object({
    transactions: Count,
    approved: Count,
    declined: Count,
    /** Declined ones by decline reason. */
    reasons: Type.Record(Type.String(), Count),
    /** Those whose authorization request was sent to your endpoint. */
    asked: Count,
    /** Those that stand-in decided. */
    stand_in: Count,
  }),
  /** Transactions in this event, at most 20; the declined ones come first. */
  transactions: Type.Array(FeedRow),
  /** How many are in this event. */
  shown: Count,
  /** How many were counted and are not in this event. */
  skipped: Count,
})
export type FeedTick = Static<typeof FeedTick>
