// A withdrawal: money that a holder takes out of a payment account, to an address of the chain.
import type { Static } from 'typebox'
import { Type } from '../schema-builders.ts'
import { described } from './described.ts'
import { SETTLEMENT_FAILURE_CODE } from './explained.ts'
import { MOMENT, MOMENT_OR_NULL } from './moment.ts'
import { TENANT_FIELDS } from './tenant-fields.ts'

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
  stage: described(
    Type.Enum(['check', 'rehearsal', 'transaction', 'cancelled']),
    'The step that failed: the check of what is held, the rehearsal, or the transaction; cancelled by an operator.',
  ),
  code: described(SETTLEMENT_FAILURE_CODE, 'The reason, for programs.'),
})
export type WithdrawalFailure = Static<typeof WithdrawalFailure>

const WithdrawalConfirmation = Type.Object({
  url: described(
    TextOrNull,
    'The page on which the holder approves. Only the call that made the link shows it; null everywhere else.',
  ),
  expires_at: described(MOMENT, 'Until when the holder may approve, ISO 8601.'),
  confirmed_at: described(MOMENT_OR_NULL, 'When the holder approved, ISO 8601; null before.'),
})

export const PaymentWithdrawal = Type.Object({
  id: Type.String(),
  object: Type.Literal('payment_withdrawal'),
  created: Type.Integer(),
  livemode: Type.Boolean(),
  status: described(
    Type.Enum([...PAYMENT_WITHDRAWAL_STATUSES]),
    'Included is provisional: the block of the transaction may still be replaced.',
  ),
  payment_account_id: described(Type.String(), 'The account that the money leaves.'),
  amount_cents: described(Type.Integer(), 'In US cents.'),
  to_address: described(Type.String(), 'The address that is paid, with its checksum (EIP-55).'),
  chain_id: described(Type.Integer(), 'The chain (EIP-155).'),
  confirmation: described(WithdrawalConfirmation, 'The holder’s approval.'),
  withdrawal_hash: described(
    Type.String(),
    'The digest of the terms that the holder’s passkey signs, hex.',
  ),
  transaction_hash: described(TextOrNull, 'The transaction on the chain; null until one is sent.'),
  block_number: described(
    Type.Union([Type.Integer(), Type.Null()]),
    'The block of the transaction; null while it is in none.',
  ),
  failure: described(
    Type.Union([WithdrawalFailure, Type.Null()]),
    'The reason that no money left; null without one.',
  ),
  ...TENANT_FIELDS,
})
export type PaymentWithdrawal = Static<typeof PaymentWithdrawal>

/** A withdrawal as operators read it, beside its tenant. */
export const PaymentWithdrawalOfTenant = Type.Object({
  ...PaymentWithdrawal.properties,
  tenant_id: described(Type.String(), 'The tenant of the account.'),
})
export type PaymentWithdrawalOfTenant = Static<typeof PaymentWithdrawalOfTenant>
