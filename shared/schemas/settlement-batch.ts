// A settlement batch: the captures and refunds of one settlement account that one chain transaction
// lands. Spec 3, 6.2.
import type { Static } from 'typebox'
import { Type } from '../schema-builders.ts'
import { described } from './described.ts'
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
  status: described(Type.Enum(['open', 'resolved']), 'Open until an operator resolves it.'),
  opened_at: described(MOMENT, 'When it was opened, ISO 8601.'),
  resolved_at: described(MOMENT_OR_NULL, 'When it was resolved, ISO 8601; null before.'),
  resolution: described(
    Type.Union([Type.Enum(['retried', 'abandoned']), Type.Null()]),
    'The operator’s resolution; null before.',
  ),
})

export const SettlementBatch = Type.Object({
  id: Type.String(),
  object: Type.Literal('settlement_batch'),
  created: Type.Integer(),
  livemode: Type.Boolean(),
  settlement_account_id: described(Type.String(), 'The account that is paid.'),
  status: described(
    Type.Enum([...SETTLEMENT_BATCH_STATUSES]),
    'Completed only when the block is final.',
  ),
  trigger: described(Type.Enum([...BATCH_TRIGGERS]), 'The cause that closed the batch.'),
  counts: described(
    Type.Object({
      captures: described(Type.Integer(), 'Number of captures.'),
      refunds: described(Type.Integer(), 'Number of refunds.'),
    }),
    'Number of captures and refunds.',
  ),
  gross_cents: described(Type.Integer(), 'Captured by it, in US cents.'),
  refunds_cents: described(Type.Integer(), 'Refunded by it, in US cents.'),
  fee_cents: described(Type.Integer(), 'The service’s fee, in US cents.'),
  net_cents: described(Type.Integer(), 'Paid to the address, in US cents.'),
  chain_id: described(Type.Integer(), 'The chain (EIP-155).'),
  transaction_hash: described(
    Type.Union([Type.String(), Type.Null()]),
    'The chain transaction, hex; null before one is sent, and after a refused rehearsal.',
  ),
  block_number: described(
    NumberOrNull,
    'The block of the transaction; null before one is included.',
  ),
  gas_used: described(NumberOrNull, 'Gas that the transaction took; null before one is included.'),
  review: described(
    Type.Union([SettlementReview, Type.Null()]),
    'The manual review; null for a batch that has not failed.',
  ),
  failure: described(
    Type.Union([SettlementFailure, Type.Null()]),
    'The reason of the failure; null without one.',
  ),
  completed_at: described(MOMENT_OR_NULL, 'When it was completed, ISO 8601; null before.'),
})
export type SettlementBatch = Static<typeof SettlementBatch>

/** A batch after an operator's decision on its review. */
export const ResolvedBatch = Type.Object({
  ...SettlementBatch.properties,
  undecided_payments: described(
    Type.Array(
      Type.Object({
        payment_id: described(Type.String(), 'A payment with a failed capture of the batch.'),
        code: described(Type.String(), 'The error with which a call on the payment is refused.'),
      }),
    ),
    'Payments that cannot be decided on now: the review stays open for them.',
  ),
})
export type ResolvedBatch = Static<typeof ResolvedBatch>

/** Batches that an operator closed by hand. */
export const SettlementRun = Type.Object({
  id: Type.String(),
  object: Type.Literal('settlement_run'),
  settlement_batches: described(
    Type.Array(SettlementBatch),
    'One batch for each account of which something waited.',
  ),
})
export type SettlementRun = Static<typeof SettlementRun>
