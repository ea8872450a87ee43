// The settlement balance of a tenant.
import type { Static } from 'typebox'
import { Type } from '../schema-builders.ts'
import { described } from './described.ts'

/** The money of a tenant on its way through settlement. */
export const SettlementBalance = Type.Object({
  object: Type.Literal('settlement_balance'),
  livemode: Type.Boolean(),
  settlement_account_id: described(
    Type.Union([Type.String(), Type.Null()]),
    'The account that the sums are of; null for all of the tenant’s.',
  ),
  currency: Type.Literal('USD'),
  pending_cents: described(Type.Integer(), 'Captures that wait for a batch, in US cents.'),
  in_settlement_cents: described(
    Type.Integer(),
    'Captures of batches that are not final, in US cents.',
  ),
  paid_out_cents: described(
    Type.Integer(),
    'Paid to the addresses by final batches, after fees and refunds, in US cents.',
  ),
  refunds_due_cents: described(Type.Integer(), 'Refunds that have not landed, in US cents.'),
})
export type SettlementBalance = Static<typeof SettlementBalance>
