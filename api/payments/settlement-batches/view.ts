// Only this module makes rows of settlement batches public: GET, list and every event use it.
import { type EpochMs, isoInstant, unixSeconds } from '../../../shared/clock.ts'
import type { SettlementFailure } from '../../../shared/schemas/payment.ts'
import type {
  BatchTrigger,
  SettlementBatch,
  SettlementBatchStatus,
} from '../../../shared/schemas/settlement-batch.ts'
import type { Environment } from '../../../shared/wire/config-records.ts'

export interface Review {
  status: 'open' | 'resolved'
  openedAt: EpochMs
  resolvedAt: EpochMs | null
  resolution: 'retried' | 'abandoned' | null
}

export interface BatchRow {
  id: string
  tenantId: string
  environment: Environment
  settlementAccountId: string
  chainId: number
  status: SettlementBatchStatus
  trigger: BatchTrigger
  captures: number
  refunds: number
  grossCents: number
  refundsCents: number
  feeCents: number
  netCents: number
  transactionHash: Buffer | null
  blockNumber: number | null
  gasUsed: number | null
  failure: SettlementFailure | null
  review: Review | null
  createdAt: EpochMs
  completedAt: EpochMs | null
}

export function batchView(row: BatchRow): SettlementBatch {
  const { transactionHash: hash, review } = row
  return {
    id: row.id,
    object: 'settlement_batch',
    created: unixSeconds(row.createdAt),
    livemode: row.environment === 'live',
    settlement_account_id: row.settlementAccountId,
    chain_id: row.chainId,
    status: row.status,
    trigger: row.trigger,
    counts: { captures: row.captures, refunds: row.refunds },
    gross_cents: row.grossCents,
    refunds_cents: row.refundsCents,
    fee_cents: row.feeCents,
    net_cents: row.netCents,
    transaction_hash: hash === null ? null : '0x' + hash.toString('hex'),
    block_number: row.blockNumber,
    gas_used: row.gasUsed,
    failure: row.failure,
    review: review === null ? null : reviewView(review),
    completed_at: row.completedAt === null ? null : isoInstant(row.completedAt),
  }
}

function reviewView(review: Review): NonNullable<SettlementBatch['review']> {
  return {
    status: review.status,
    opened_at: isoInstant(review.openedAt),
    resolved_at: review.resolvedAt === null ? null : isoInstant(review.resolvedAt),
    resolution: review.resolution,
  }
}
