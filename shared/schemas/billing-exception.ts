// A difference between our billing and the payment processor, for operators.
import { type Static, Type } from 'typebox'

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
  /** Null where no tenant is known. */
  tenant_id: Type.Union([Type.String(), Type.Null()]),
  /** How the two differ. */
  kind: Type.Enum([...EXCEPTION_KINDS]),
  /** The id of the object that differs: ours, or the processor’s. */
  subject: Type.String(),
  /** Values of the processor that differ. */
  detail: Type.Record(Type.String(), Type.Union([Type.String(), Type.Number(), Type.Null()])),
})
export type BillingException = Static<typeof BillingException>
