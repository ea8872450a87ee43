// How long the captures of a tenant have not been settled.
import { type Static, Type } from 'typebox'

/**
 * Beginnings of the spans of age, in seconds: now, an hour, six hours, a day, three days. Chosen: a
 * batch is made at least every day, and three days span a weekend.
 */
export const SETTLEMENT_AGES = [0, 3600, 21_600, 86_400, 259_200] as const

/** Captures of a tenant that have not landed, by their age. */
export const SettlementAges = Type.Object({
  object: Type.Literal('settlement_ages'),
  livemode: Type.Boolean(),
  /** The account that the sums are of; null for all of the tenant’s. */
  settlement_account_id: Type.Union([Type.String(), Type.Null()]),
  currency: Type.Literal('USD'),
  /** Seconds since the oldest capture that waits for a batch was made; null where none waits. */
  oldest_pending_seconds: Type.Union([Type.Integer(), Type.Null()]),
  /** The same of captures in batches that are not final. */
  oldest_in_settlement_seconds: Type.Union([Type.Integer(), Type.Null()]),
  /** Spans of age, youngest first. */
  ages: Type.Array(
    Type.Object({
      /** The least age, in seconds. */
      from_seconds: Type.Integer(),
      /** The age at which the next span begins, in seconds; null for the last one. */
      until_seconds: Type.Union([Type.Integer(), Type.Null()]),
      /** Captures that wait for a batch, in US cents. */
      pending_cents: Type.Integer(),
      /** Their number. */
      pending_captures: Type.Integer(),
      /** Captures in batches that are not final, in US cents. */
      in_settlement_cents: Type.Integer(),
      /** Their number. */
      in_settlement_captures: Type.Integer(),
    }),
  ),
})
export type SettlementAges = Static<typeof SettlementAges>
