// A settlement batch: the captures and refunds of one settlement account that one chain transaction
// lands. Spec 3, 6.2.
import { type Static, Type } from 'typebox'
import { MOMENT, MOMENT_OR_NULL } from './moment.ts'
import { SettlementFailure } from './payment.ts'

export const SETTLEMENT_BATCH_STATUSES = [
  'open',
  'submitted',
  'included',
  'completed',
  'failed',
] as const
export type SettlementBatchStatus = (typeof SETTLEMENT_BATCH_STATUSES)[number]

export const BATCH_TRIGGERS = ['interval', 'size', 'manual', 'retry'] as const
export type BatchTrigger = (typeof BATCH_TRIGGERS)[number]

const NumberOrNull = Type.Union([Type.Integer(), Type.Null()])

/** The manual review that a failed batch opens. */
const SettlementReview = Type.Object({
  /** `open` until an operator resolves it. */
  status: Type.Enum(['open', 'resolved']),
  /** When it was opened, ISO 8601. */
  opened_at: MOMENT,
  /** When it was resolved, ISO 8601; null before. */
  resolved_at: MOMENT_OR_NULL,
  /** The operator’s resolution; null before. */
  resolution: Type.Union([Type.Enum(['retried', 'abandoned']), Type.Null()]),
})

export const SettlementBatch = Type.Object({
  id: Type.String(),
  object: Type.Literal('settlement_batch'),
  created: Type.Integer(),
  livemode: Type.Boolean(),
  /** The account that is paid. */
  settlement_account_id: Type.String(),
  /** `completed` only when the block is final. */
  status: Type.Enum([...SETTLEMENT_BATCH_STATUSES]),
  /** The cause that closed the batch. */
  trigger: Type.Enum([...BATCH_TRIGGERS]),
  /** Number of captures and refunds. */
  counts: Type.Object({
    /** Number of captures. */
    captures: Type.Integer(),
    /** Number of refunds. */
    refunds: Type.Integer(),
  }),
  /** Captured by it, in US cents. */
  gross_cents: Type.Integer(),
  /** Refunded by it, in US cents. */
  refunds_cents: Type.Integer(),
  /** The service’s fee, in US cents. */
  fee_cents: Type.Integer(),
  /** Paid to the address, in US cents. */
  net_cents: Type.Integer(),
  /** The chain (EIP-155). */
  chain_id: Type.Integer(),
  /** The chain transaction, hex; null before one is sent, and after a refused rehearsal. */
  transaction_hash: Type.Union([Type.String(), Type.Null()]),
  /** The block of the transaction; null before one is included. */
  block_number: NumberOrNull,
  /** Gas that the transaction took; null before one is included. */
  gas_used: NumberOrNull,
  /** The manual review; null for a batch that has not failed. */
  review: Type.Union([SettlementReview, Type.Null()]),
  /** The reason of the failure; null without one. */
  failure: Type.Union([SettlementFailure, Type.Null()]),
  /** When it was completed, ISO 8601; null before. */
  completed_at: MOMENT_OR_NULL,
})
export type SettlementBatch = Static<typeof SettlementBatch>

/** Batches that an operator closed by hand. */
export const SettlementRun = Type.Object({
  id: Type.String(),
  object: Type.Literal('settlement_run'),
  /** One batch for each account of which something waited. */
  settlement_batches: Type.Array(SettlementBatch),
})
export type SettlementRun = Static<typeof SettlementRun>
