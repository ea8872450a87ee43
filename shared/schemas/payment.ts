// A payment: an amount that a holder pays a tenant, with its captures and refunds. Spec 3, 6.2.
import { type Static, Type } from 'typebox'
import { MOMENT, MOMENT_OR_NULL } from './moment.ts'
import { OWN_DATA } from './own-data.ts'
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
  /** The step that failed. */
  stage: Type.Enum([...FAILURE_STAGES]),
  /** The reason, for programs: for example `transfer_failed`. */
  code: Type.String(),
  /** The reason in a sentence; null where the code says everything. */
  detail: TextOrNull,
})
export type SettlementFailure = Static<typeof SettlementFailure>

const FailureOrNull = Type.Union([SettlementFailure, Type.Null()])

/** Fields that captures and refunds share. */
const TRANSFER = {
  id: Type.String(),
  created: Type.Integer(),
  /** In US cents. */
  amount_cents: Type.Integer(),
  /** `landed` only when the block is final. */
  status: Type.Enum([...TRANSFER_STATUSES]),
  /** The settlement batch; null while it waits for one. */
  settlement_batch_id: TextOrNull,
  /** The chain transaction; null before one is included. */
  transaction_hash: TextOrNull,
  /** The block of the transaction; null before one is included. */
  block_number: NumberOrNull,
  /** The reason of the last failure; null without one. */
  failure: FailureOrNull,
}

export const PaymentCapture = Type.Object({
  ...TRANSFER,
  object: Type.Literal('payment_capture'),
  /** True where the rest of the payment was released with it. */
  final: Type.Boolean(),
})
export type PaymentCapture = Static<typeof PaymentCapture>

export const PaymentRefund = Type.Object({ ...TRANSFER, object: Type.Literal('payment_refund') })
export type PaymentRefund = Static<typeof PaymentRefund>

const PaymentConfirmation = Type.Object({
  /** The holder’s passkey, or a mandate that the holder signed before; null until it is known. */
  by: Type.Union([Type.Enum(['passkey', 'mandate']), Type.Null()]),
  /**
   * The page on which the holder approves. Only the call that made the link shows it; null
   * everywhere else.
   */
  url: TextOrNull,
  /** Until when the holder may approve, ISO 8601. */
  expires_at: MOMENT_OR_NULL,
  /** When the holder approved, ISO 8601; null before. */
  confirmed_at: MOMENT_OR_NULL,
})

export const PaymentDecision = Type.Object({
  /** The control or limit that declined; null where none did. */
  detail: TextOrNull,
  /** Every rule that was looked at, in order. */
  trace: Type.Array(TraceStep),
})

export type PaymentDecision = Static<typeof PaymentDecision>

export const Payment = Type.Object({
  id: Type.String(),
  object: Type.Literal('payment'),
  created: Type.Integer(),
  livemode: Type.Boolean(),
  status: Type.Enum([...PAYMENT_STATUSES]),
  /** The authorized amount, in US cents. */
  amount_cents: Type.Integer(),
  currency: Type.Literal('USD'),
  /** The account that pays. */
  payment_account_id: Type.String(),
  cardholder_id: Type.String(),
  /** The account that is paid. */
  settlement_account_id: Type.String(),
  /** Text that the holder reads before approving; null without one. */
  description: TextOrNull,
  /** Left to capture, in US cents. */
  capturable_cents: Type.Integer(),
  /** Asked for and not landed yet, in US cents. */
  capture_pending_cents: Type.Integer(),
  /** Landed on the chain, in US cents. */
  captured_cents: Type.Integer(),
  /** Refunds that have not landed yet, in US cents. */
  refund_pending_cents: Type.Integer(),
  /** Refunds that landed, in US cents. */
  refunded_cents: Type.Integer(),
  /** Released without being captured, in US cents. */
  voided_cents: Type.Integer(),
  /** The reason of the release; null where nothing was released but by a final capture. */
  void_cause: Type.Union([Type.Enum([...VOID_CAUSES]), Type.Null()]),
  /** When the rest is released by itself, ISO 8601. */
  expires_at: MOMENT,
  /** The mandate that covers it; null where the holder approves the payment itself. */
  payment_mandate_id: TextOrNull,
  /** The holder’s approval; null for a declined payment. */
  confirmation: Type.Union([PaymentConfirmation, Type.Null()]),
  /** The rule that declined; null for a payment that was approved. */
  decline_reason: TextOrNull,
  /** The engine’s decision with its trace. */
  decision: Type.Union([PaymentDecision, Type.Null()]),
  /** The first captures first. */
  captures: Type.Array(PaymentCapture),
  /** The first refunds first. */
  refunds: Type.Array(PaymentRefund),
  /** The reason why a capture failed; null while none has. */
  failure: FailureOrNull,
  /** The EIP-712 digest of the terms that the holder’s passkey signs, hex. */
  approval_hash: TextOrNull,
  ...OWN_DATA,
})
export type Payment = Static<typeof Payment>
