// A withdrawal: money that a holder takes out of a payment account, to an address of the chain.
import { type Static, Type } from 'typebox'
import { MOMENT, MOMENT_OR_NULL } from './moment.ts'
import { OWN_DATA } from './own-data.ts'

export const PAYMENT_WITHDRAWAL_STATUSES = [
  'needs_confirmation',
  'pending',
  'submitted',
  'included',
  'completed',
  'failed',
  'canceled',
  'expired',
] as const
export type PaymentWithdrawalStatus = (typeof PAYMENT_WITHDRAWAL_STATUSES)[number]

const TextOrNull = Type.Union([Type.String(), Type.Null()])

export const WithdrawalFailure = Type.Object({
  /**
   * The step that failed: the check of what is held, the rehearsal, or the transaction; `cancelled`
   * by an operator.
   */
  stage: Type.Enum(['check', 'rehearsal', 'transaction', 'cancelled']),
  /** The reason, for programs: for example `amount_not_available`. */
  code: Type.String(),
})
export type WithdrawalFailure = Static<typeof WithdrawalFailure>

const WithdrawalConfirmation = Type.Object({
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

export const PaymentWithdrawal = Type.Object({
  id: Type.String(),
  object: Type.Literal('payment_withdrawal'),
  created: Type.Integer(),
  livemode: Type.Boolean(),
  /** `included` is provisional: the block of the transaction may still be replaced. */
  status: Type.Enum([...PAYMENT_WITHDRAWAL_STATUSES]),
  /** The account that the money leaves. */
  payment_account_id: Type.String(),
  /** In US cents. */
  amount_cents: Type.Integer(),
  /** The address that is paid, with its checksum (EIP-55). */
  to_address: Type.String(),
  /** The chain (EIP-155). */
  chain_id: Type.Integer(),
  /** The holder’s approval. */
  confirmation: WithdrawalConfirmation,
  /** The digest of the terms that the holder’s passkey signs, hex. */
  withdrawal_hash: Type.String(),
  /** The transaction on the chain; null until one is sent. */
  transaction_hash: TextOrNull,
  /** The block of the transaction; null while it is in none. */
  block_number: Type.Union([Type.Integer(), Type.Null()]),
  /** The reason that no money left; null without one. */
  failure: Type.Union([WithdrawalFailure, Type.Null()]),
  ...OWN_DATA,
})
export type PaymentWithdrawal = Static<typeof PaymentWithdrawal>

/** A withdrawal as operators read it, beside its tenant. */
export const PaymentWithdrawalOfTenant = Type.Object({
  ...PaymentWithdrawal.properties,
  /** The tenant of the account. */
  tenant_id: Type.String(),
})
export type PaymentWithdrawalOfTenant = Static<typeof PaymentWithdrawalOfTenant>
