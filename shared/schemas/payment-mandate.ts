// A payment mandate: an approval that a holder signs once, for many payments to one payee.
import { type Static, Type } from 'typebox'
import { MOMENT, MOMENT_OR_NULL } from './moment.ts'
import { OWN_DATA } from './own-data.ts'

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
  /**
   * The page on which the holder approves. Only the call that made the link shows it; null
   * everywhere else.
   */
  url: TextOrNull,
  /** Until when the holder may approve, ISO 8601. */
  expires_at: MOMENT,
  /** When the holder approved, ISO 8601; null before. */
  confirmed_at: MOMENT_OR_NULL,
})

export const PaymentMandate = Type.Object({
  id: Type.String(),
  object: Type.Literal('payment_mandate'),
  created: Type.Integer(),
  livemode: Type.Boolean(),
  /** `exhausted`: the limit or the 64 captures of an approval are used. */
  status: Type.Enum([...PAYMENT_MANDATE_STATUSES]),
  /** The account that pays. */
  payment_account_id: Type.String(),
  /** The account that is paid. */
  settlement_account_id: Type.String(),
  /** Text that the holder reads before approving; null without one. */
  description: TextOrNull,
  /** The most that all payments under it take, in US cents. */
  limit_cents: Type.Integer(),
  /** The most that one payment takes, in US cents. */
  per_payment_cents: Type.Integer(),
  /** Payments under it that have not landed, in US cents. */
  reserved_cents: Type.Integer(),
  /** Captures under it that landed, in US cents. */
  used_cents: Type.Integer(),
  /** When it stops covering payments, ISO 8601. */
  expires_at: MOMENT,
  /** The holder’s approval. */
  confirmation: MandateConfirmation,
  /** The EIP-712 digest of the terms that the holder’s passkey signs, hex. */
  approval_hash: Type.String(),
  ...OWN_DATA,
})
export type PaymentMandate = Static<typeof PaymentMandate>
