// How long the captures of a tenant have not been settled.
import type { Static } from 'typebox'
import { Type } from '../schema-builders.ts'
import { described } from './described.ts'

/**
 * Beginnings of the spans of age, in seconds: now, an hour, six hours, a day, three days. Chosen: a
 * batch is made at least every day, and three days span a weekend.
 */
export const SETTLEMENT_AGES = [0, 3600, 21_600, 86_400, 259_200] as const

/** Captures of a tenant that have not landed, by their age. */
export const SettlementAges = Type.Object({
  object: Type.Literal('settlement_ages'),
  livemode: Type.Boolean(),
  settlement_account_id: described(
    Type.Union([Type.String(), Type.Null()]),
    'The account that the sums are of; null for all of the tenant’s.',
  ),
  currency: Type.Literal('USD'),
  oldest_pending_seconds: described(
    Type.Union([Type.Integer(), Type.Null()]),
    'Seconds since the oldest capture that waits for a batch was made; null where none waits.',
  ),
  oldest_in_settlement_seconds: described(
    Type.Union([Type.Integer(), Type.Null()]),
    'The same of captures in batches that are not final.',
  ),
  ages: described(
    Type.Array(
      Type.Object({
        from_seconds: described(Type.Integer(), 'The least age, in seconds.'),
        until_seconds: described(
          Type.Union([Type.Integer(), Type.Null()]),
          'The age at which the next span begins, in seconds; null for the last one.',
        ),
        pending_cents: described(Type.Integer(), 'Captures that wait for a batch, in US cents.'),
        pending_captures: described(Type.Integer(), 'Their number.'),
        in_settlement_cents: described(
          Type.Integer(),
          'Captures in batches that are not final, in US cents.',
        ),
        in_settlement_captures: described(Type.Integer(), 'Their number.'),
      }),
    ),
    'Spans of age, youngest first.',
  ),
})
export type SettlementAges = Static<typeof SettlementAges>
