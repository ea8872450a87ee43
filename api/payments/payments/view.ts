// The public shape of a payment, for GET, lists and every event.
import { type EpochMs, isoInstant, unixSeconds } from '../../../shared/clock.ts'
import type { DeclineReason } from '../../../shared/decline-reason.ts'
import type {
  Payment,
  PaymentCapture,
  PaymentDecision,
  PaymentRefund,
  SettlementFailure,
  TransferStatus,
  VoidCause,
} from '../../../shared/schemas/payment.ts'
import type { Metadata } from '../../../shared/schemas/tenant-fields.ts'
import type { Environment } from '../../../shared/wire/config-records.ts'
import { capturableCents, type PaymentSums, type StoredStatus } from './states.ts'

/** A capture or refund as the store reads it beside its payment. */
export interface TransferRow {
  id: string
  amountCents: number
  status: TransferStatus
  batchId: string | null
  /** Lower-case hex without 0x; null before the batch has a transaction. */
  transactionHash: string | null
  blockNumber: number | null
  failure: SettlementFailure | null
  createdAt: EpochMs
}

export interface CaptureRow extends TransferRow {
  final: boolean
}

export interface PaymentRow extends PaymentSums {
  id: string
  tenantId: string
  environment: Environment
  paymentAccountId: string
  chainId: number
  cardholderId: string
  settlementAccountId: string
  status: StoredStatus
  currency: 'USD'
  description: string | null
  voidCause: VoidCause | null
  /** The release that was begun and that the engine has not answered. */
  releasing: VoidCause | null
  expiresAt: EpochMs
  declineReason: DeclineReason | null
  decision: PaymentDecision | null
  failure: SettlementFailure | null
  approvalHash: Buffer | null
  /** Unix seconds. */
  approvalValidUntil: number | null
  mandateId: string | null
  confirmationExpiresAt: EpochMs | null
  confirmedAt: EpochMs | null
  confirmedBy: 'passkey' | 'mandate' | null
  /** Captures that the engine has not answered, in US cents. */
  askingCents: number
  /** Every capture, also those that are not shown. */
  captureCount: number
  captures: readonly CaptureRow[]
  refunds: readonly TransferRow[]
  externalId: string | null
  metadata: Metadata
  createdAt: EpochMs
  /** Milliseconds that the tenant's clock is ahead. */
  clockOffsetMs: number
}

/** The part of a payment that a move reads. */
export type MovingPayment = PaymentSums &
  Pick<
    PaymentRow,
    | 'id'
    | 'tenantId'
    | 'environment'
    | 'paymentAccountId'
    | 'chainId'
    | 'status'
    | 'mandateId'
    | 'confirmedAt'
  >

/**
 * `url` is the link to the hosted page, shown by the call that made it and by no other. A payment
 * that is still being decided is not shown: the caller checks that.
 */
export function paymentView(row: PaymentRow, url: string | null = null): Payment {
  if (row.status === 'deciding') throw new Error('a payment without a decision is not shown')
  return {
    id: row.id,
    object: 'payment',
    created: unixSeconds(row.createdAt),
    livemode: row.environment === 'live',
    status: row.status,
    amount_cents: row.amountCents,
    currency: row.currency,
    payment_account_id: row.paymentAccountId,
    cardholder_id: row.cardholderId,
    settlement_account_id: row.settlementAccountId,
    description: row.description,
    capturable_cents: row.status === 'risk_declined' ? 0 : capturableCents(row),
    capture_pending_cents: row.capturePendingCents,
    captured_cents: row.capturedCents,
    refund_pending_cents: row.refundPendingCents,
    refunded_cents: row.refundedCents,
    voided_cents: row.voidedCents,
    void_cause: row.voidCause,
    expires_at: isoInstant(row.expiresAt),
    payment_mandate_id: row.mandateId,
    confirmation: confirmationView(row, url),
    decline_reason: row.declineReason,
    decision: row.decision,
    captures: row.captures.map(captureView),
    refunds: row.refunds.map(refundView),
    failure: row.failure,
    approval_hash: row.approvalHash === null ? null : '0x' + row.approvalHash.toString('hex'),
    external_id: row.externalId,
    metadata: row.metadata,
  }
}

function confirmationView(row: PaymentRow, url: string | null): Payment['confirmation'] {
  if (row.status === 'risk_declined') return null
  const { confirmationExpiresAt: until, confirmedAt } = row
  return {
    by: row.mandateId === null ? row.confirmedBy : 'mandate',
    url,
    expires_at: until === null ? null : isoInstant(until),
    confirmed_at: confirmedAt === null ? null : isoInstant(confirmedAt),
  }
}

function captureView(row: CaptureRow): PaymentCapture {
  return { ...transferView(row), object: 'payment_capture', final: row.final }
}

function refundView(row: TransferRow): PaymentRefund {
  return { ...transferView(row), object: 'payment_refund' }
}

function transferView(row: TransferRow) {
  return {
    id: row.id,
    created: unixSeconds(row.createdAt),
    amount_cents: row.amountCents,
    status: row.status,
    settlement_batch_id: row.batchId,
    transaction_hash: row.transactionHash === null ? null : '0x' + row.transactionHash,
    block_number: row.blockNumber,
    failure: row.failure,
  }
}
