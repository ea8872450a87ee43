// A payment: an amount that a holder pays a tenant, with its captures and refunds. Spec 3, 6.2.
import type { Static } from 'typebox'
import { Type } from '../schema-builders.ts'
import { described } from './described.ts'
import { DECLINE_REASON_OR_NULL, SETTLEMENT_FAILURE_CODE } from './explained.ts'
import { MOMENT, MOMENT_OR_NULL } from './moment.ts'
import { TENANT_FIELDS } from './tenant-fields.ts'
import { TraceStep } from './transaction-decision-shape.ts'

/** Spec 3 and 6.2; a payment that the engine has not decided yet is not shown. */
export const PAYMENT_STATUSES = [
  'risk_declined',
  'needs_confirmation',
  'authorized',
  'confirmed',
  'capture_pending',
  'partially_captured',
  'captured',
  'partially_refunded',
  'refunded',
  'voided',
  'failed',
] as const
export type PaymentStatus = (typeof PAYMENT_STATUSES)[number]

export const VOID_CAUSES = [
  'requested',
  'holder_denied',
  'confirmation_expired',
  'authorization_expired',
  'settlement_abandoned',
] as const
export type VoidCause = (typeof VOID_CAUSES)[number]

/** Progress of a capture or refund to the chain. */
export const TRANSFER_STATUSES = [
  'pending',
  'awaiting_funds',
  'submitted',
  'included',
  'landed',
  'failed',
] as const
export type TransferStatus = (typeof TRANSFER_STATUSES)[number]

/** The step of settling that failed. */
const FAILURE_STAGES = [
  'encoding',
  'rehearsal',
  'transaction',
  'capture',
  'refund',
  'cancelled',
] as const

const TextOrNull = Type.Union([Type.String(), Type.Null()])
const NumberOrNull = Type.Union([Type.Integer(), Type.Null()])

export const SettlementFailure = Type.Object({
  stage: described(Type.Enum([...FAILURE_STAGES]), 'The step that failed.'),
  code: described(SETTLEMENT_FAILURE_CODE, 'The reason, for programs.'),
  detail: described(TextOrNull, 'The reason in a sentence; null where the code says everything.'),
})
export type SettlementFailure = Static<typeof SettlementFailure>

const FailureOrNull = Type.Union([SettlementFailure, Type.Null()])

/** Fields that captures and refunds share. */
const TRANSFER = {
  id: Type.String(),
  created: Type.Integer(),
  amount_cents: described(Type.Integer(), 'In US cents.'),
  status: described(Type.Enum([...TRANSFER_STATUSES]), 'Landed only when the block is final.'),
  settlement_batch_id: described(TextOrNull, 'The settlement batch; null while it waits for one.'),
  transaction_hash: described(TextOrNull, 'The chain transaction; null before one is included.'),
  block_number: described(
    NumberOrNull,
    'The block of the transaction; null before one is included.',
  ),
  failure: described(FailureOrNull, 'The reason of the last failure; null without one.'),
}

export const PaymentCapture = Type.Object({
  ...TRANSFER,
  object: Type.Literal('payment_capture'),
  final: described(Type.Boolean(), 'True where the rest of the payment was released with it.'),
})
export type PaymentCapture = Static<typeof PaymentCapture>

export const PaymentRefund = Type.Object({ ...TRANSFER, object: Type.Literal('payment_refund') })
export type PaymentRefund = Static<typeof PaymentRefund>

const PaymentConfirmation = Type.Object({
  by: described(
    Type.Union([Type.Enum(['passkey', 'mandate']), Type.Null()]),
    'The holder’s passkey, or a mandate that the holder signed before; null until it is known.',
  ),
  url: described(
    TextOrNull,
    'The page on which the holder approves. Only the call that made the link shows it; null everywhere else.',
  ),
  expires_at: described(MOMENT_OR_NULL, 'Until when the holder may approve, ISO 8601.'),
  confirmed_at: described(MOMENT_OR_NULL, 'When the holder approved, ISO 8601; null before.'),
})

export const PaymentDecision = Type.Object({
  detail: described(TextOrNull, 'The control or limit that declined; null where none did.'),
  trace: described(Type.Array(TraceStep), 'Every rule that was looked at, in order.'),
})

export type PaymentDecision = Static<typeof PaymentDecision>

export const Payment = Type.Object({
  id: Type.String(),
  object: Type.Literal('payment'),
  created: Type.Integer(),
  livemode: Type.Boolean(),
  status: Type.Enum([...PAYMENT_STATUSES]),
  amount_cents: described(Type.Integer(), 'The authorized amount, in US cents.'),
  currency: Type.Literal('USD'),
  payment_account_id: described(Type.String(), 'The account that pays.'),
  cardholder_id: Type.String(),
  settlement_account_id: described(Type.String(), 'The account that is paid.'),
  description: described(
    TextOrNull,
    'Text that the holder reads before approving; null without one.',
  ),
  capturable_cents: described(Type.Integer(), 'Left to capture, in US cents.'),
  capture_pending_cents: described(Type.Integer(), 'Asked for and not landed yet, in US cents.'),
  captured_cents: described(Type.Integer(), 'Landed on the chain, in US cents.'),
  refund_pending_cents: described(Type.Integer(), 'Refunds that have not landed yet, in US cents.'),
  refunded_cents: described(Type.Integer(), 'Refunds that landed, in US cents.'),
  voided_cents: described(Type.Integer(), 'Released without being captured, in US cents.'),
  void_cause: described(
    Type.Union([Type.Enum([...VOID_CAUSES]), Type.Null()]),
    'The reason of the release; null where nothing was released but by a final capture.',
  ),
  expires_at: described(MOMENT, 'When the rest is released by itself, ISO 8601.'),
  payment_mandate_id: described(
    TextOrNull,
    'The mandate that covers it; null where the holder approves the payment itself.',
  ),
  confirmation: described(
    Type.Union([PaymentConfirmation, Type.Null()]),
    'The holder’s approval; null for a declined payment.',
  ),
  decline_reason: described(
    DECLINE_REASON_OR_NULL,
    'The rule that declined; null for a payment that was approved.',
  ),
  decision: described(
    Type.Union([PaymentDecision, Type.Null()]),
    'The engine’s decision with its trace.',
  ),
  captures: described(Type.Array(PaymentCapture), 'The first captures first.'),
  refunds: described(Type.Array(PaymentRefund), 'The first refunds first.'),
  failure: described(FailureOrNull, 'The reason why a capture failed; null while none has.'),
  approval_hash: described(
    TextOrNull,
    'The EIP-712 digest of the terms that the holder’s passkey signs, hex.',
  ),
  ...TENANT_FIELDS,
})
export type Payment = Static<typeof Payment>
