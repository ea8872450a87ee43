// A tenant as the payment processor knows it, for operators.
import { type Static, Type } from 'typebox'

export const BillingCustomer = Type.Object({
  id: Type.String(),
  object: Type.Literal('billing_customer'),
  created: Type.Integer(),
  environment: Type.Enum(['sandbox', 'live']),
  tenant_id: Type.String(),
  /** The id of the customer at the processor. */
  processor_id: Type.String(),
  /** The id of the deleted customer whose place it took. */
  replaced_id: Type.String(),
  /** Open invoices that are sent anew to the customer. */
  invoices: Type.Array(Type.String()),
})
export type BillingCustomer = Static<typeof BillingCustomer>
