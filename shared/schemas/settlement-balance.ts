// The settlement balance of a tenant.
import { type Static, Type } from 'typebox'

/** The money of a tenant on its way through settlement. */
export const SettlementBalance = Type.Object({
  object: Type.Literal('settlement_balance'),
  livemode: Type.Boolean(),
  /** The account that the sums are of; null for all of the tenant’s. */
  settlement_account_id: Type.Union([Type.String(), Type.Null()]),
  currency: Type.Literal('USD'),
  /** Captures that wait for a batch, in US cents. */
  pending_cents: Type.Integer(),
  /** Captures of batches that are not final, in US cents. */
  in_settlement_cents: Type.Integer(),
  /** Paid to the addresses by final batches, after fees and refunds, in US cents. */
  paid_out_cents: Type.Integer(),
  /** Refunds that have not landed, in US cents. */
  refunds_due_cents: Type.Integer(),
})
export type SettlementBalance = Static<typeof SettlementBalance>
