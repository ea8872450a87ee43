// Messages to a tenant about its billing.
import type { Static } from 'typebox'
import { Type } from '../schema-builders.ts'
import { described } from './described.ts'

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
  kind: described(Type.Enum([...NOTICE_KINDS]), 'The message; _ahead comes three days before.'),
  subscription_id: described(Type.String(), 'The subscription that the message is about.'),
  invoice_id: described(
    Type.Union([Type.String(), Type.Null()]),
    'The invoice that the message is about.',
  ),
})
export type BillingNotice = Static<typeof BillingNotice>
