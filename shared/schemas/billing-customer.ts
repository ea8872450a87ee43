// A tenant as the payment processor knows it, for operators.
import type { Static } from 'typebox'
import { Type } from '../schema-builders.ts'
import { described } from './described.ts'

export const BillingCustomer = Type.Object({
  id: Type.String(),
  object: Type.Literal('billing_customer'),
  created: Type.Integer(),
  environment: Type.Enum(['sandbox', 'live']),
  tenant_id: Type.String(),
  processor_id: described(Type.String(), 'The id of the customer at the processor.'),
  replaced_id: described(Type.String(), 'The id of the deleted customer whose place it took.'),
  invoices: described(
    Type.Array(Type.String()),
    'Open invoices that are sent anew to the customer.',
  ),
})
export type BillingCustomer = Static<typeof BillingCustomer>
