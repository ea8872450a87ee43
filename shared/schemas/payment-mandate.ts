// A payment mandate: an approval that a holder signs once, for many payments to one payee.
import type { Static } from 'typebox'
import { Type } from '../schema-builders.ts'
import { described } from './described.ts'
import { MOMENT, MOMENT_OR_NULL } from './moment.ts'
import { TENANT_FIELDS } from './tenant-fields.ts'

export const PAYMENT_MANDATE_STATUSES = [
  'pending',
  'active',
  'exhausted',
  'expired',
  'revoked',
] as const
export type PaymentMandateStatus = (typeof PAYMENT_MANDATE_STATUSES)[number]

const TextOrNull = Type.Union([Type.String(), Type.Null()])

const MandateConfirmation = Type.Object({
  url: described(
    TextOrNull,
    'The page on which the holder approves. Only the call that made the link shows it; null everywhere else.',
  ),
  expires_at: described(MOMENT, 'Until when the holder may approve, ISO 8601.'),
  confirmed_at: described(MOMENT_OR_NULL, 'When the holder approved, ISO 8601; null before.'),
})

export const PaymentMandate = Type.Object({
  id: Type.String(),
  object: Type.Literal('payment_mandate'),
  created: Type.Integer(),
  livemode: Type.Boolean(),
  status: described(
    Type.Enum([...PAYMENT_MANDATE_STATUSES]),
    'exhausted: the limit or the 64 captures of an approval are used.',
  ),
  payment_account_id: described(Type.String(), 'The account that pays.'),
  settlement_account_id: described(Type.String(), 'The account that is paid.'),
  description: described(
    TextOrNull,
    'Text that the holder reads before approving; null without one.',
  ),
  limit_cents: described(Type.Integer(), 'The most that all payments under it take, in US cents.'),
  per_payment_cents: described(Type.Integer(), 'The most that one payment takes, in US cents.'),
  reserved_cents: described(Type.Integer(), 'Payments under it that have not landed, in US cents.'),
  used_cents: described(Type.Integer(), 'Captures under it that landed, in US cents.'),
  expires_at: described(MOMENT, 'When it stops covering payments, ISO 8601.'),
  confirmation: described(MandateConfirmation, 'The holder’s approval.'),
  approval_hash: described(
    Type.String(),
    'The EIP-712 digest of the terms that the holder’s passkey signs, hex.',
  ),
  ...TENANT_FIELDS,
})
export type PaymentMandate = Static<typeof PaymentMandate>
