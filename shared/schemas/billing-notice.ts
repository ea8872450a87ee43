// Messages to a tenant about its billing.
import { type Static, Type } from 'typebox'

export const NOTICE_KINDS = [
  'trial_ending',
  'invoice_sent',
  'payment_failed',
  'action_required',
  'payment_succeeded',
  'restriction_ahead',
  'restricted',
  'suspension_ahead',
  'suspended',
  'cancellation_ahead',
  'canceled',
  'new_prices',
] as const

export const BillingNotice = Type.Object({
  id: Type.String(),
  object: Type.Literal('billing_notice'),
  created: Type.Integer(),
  livemode: Type.Boolean(),
  /** The message; `_ahead` comes three days before. */
  kind: Type.Enum([...NOTICE_KINDS]),
  /** The subscription that the message is about. */
  subscription_id: Type.String(),
  /** The invoice that the message is about. */
  invoice_id: Type.Union([Type.String(), Type.Null()]),
})
export type BillingNotice = Static<typeof BillingNotice>
