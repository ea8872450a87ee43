// A difference between our billing and the payment processor, for operators.
import type { Static } from 'typebox'
import { Type } from '../schema-builders.ts'
import { described } from './described.ts'

export const EXCEPTION_KINDS = [
  'wrong_total',
  'unknown_invoice',
  'ended_elsewhere',
  'not_collectable',
  'customer_deleted',
  'wrong_key',
  'missing_invoice',
  'status_differs',
  'usage_differs',
  'mirror_refused',
  'mirror_differs',
] as const

export const BillingException = Type.Object({
  id: Type.String(),
  object: Type.Literal('billing_exception'),
  created: Type.Integer(),
  environment: Type.Enum(['sandbox', 'live']),
  tenant_id: described(Type.Union([Type.String(), Type.Null()]), 'Null where no tenant is known.'),
  kind: described(Type.Enum([...EXCEPTION_KINDS]), 'How the two differ.'),
  subject: described(Type.String(), 'The id of the object that differs: ours, or the processor’s.'),
  detail: described(
    Type.Record(Type.String(), Type.Union([Type.String(), Type.Number(), Type.Null()])),
    'Values of the processor that differ.',
  ),
})
export type BillingException = Static<typeof BillingException>
