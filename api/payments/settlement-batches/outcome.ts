// The end of a batch, in one transaction: landed by the logs of its final receipt, or failed. The
// batch's own event comes before those of its payments.
import type { EpochMs } from '../../../shared/clock.ts'
import type { SettlementFailure } from '../../../shared/schemas/payment.ts'
import type { TxSql } from '../../database/transaction.ts'
import { recordEvent } from '../../webhooks/events/index.ts'
import { recordLanding } from '../ledger/index.ts'
import {
  failCaptures,
  failRefunds,
  landCaptures,
  landRefunds,
  lockPaymentsOf,
} from '../payments/index.ts'
import {
  type BatchEnd,
  type BatchItem,
  listBatchItems,
  lockBatch,
  saveBatchEnd,
  saveRefundReview,
  saveWithoutRefunds,
} from './outcome-store.ts'
import { batchView } from './view.ts'

export interface BatchOutcome {
  batchId: string
  /** Ids of captures and refunds that landed, and the failures of the others. */
  landed: ReadonlySet<string>
  failures: ReadonlyMap<string, SettlementFailure>
  feeUnits: bigint
  feeCents: number
  transactionHash: Buffer
  blockNumber: number
  blockHash: Buffer
  gasUsed: number
  /** Installation time. */
  now: EpochMs
}

/** False where the batch has ended before: a repeat changes nothing. */
export async function landBatch(sql: TxSql, outcome: BatchOutcome): Promise<boolean> {
  const batch = await lockBatch(sql, outcome.batchId)
  if (batch === null || !['submitted', 'included'].includes(batch.status)) return false
  const items = await listBatchItems(sql, batch.id)
  await lockPaymentsOf(sql, idsByKind(items))
  const now = outcome.now + batch.clockOffsetMs
  const landed = items.filter(({ id }) => outcome.landed.has(id))
  const captures = landed.filter(({ kind }) => kind === 'capture')
  const refunds = landed.filter(({ kind }) => kind === 'refund')
  const grossCents = sumOf(captures)
  const refundsCents = sumOf(refunds)
  const { feeCents, transactionHash, blockNumber, blockHash, gasUsed } = outcome
  const sums = { grossCents, refundsCents, feeCents }
  const block = { transactionHash, blockNumber, blockHash, gasUsed }
  await endBatch(sql, batch.id, { status: 'completed', sums, block, failure: null, now })
  const moves = (each: readonly BatchItem[]) =>
    each.map(({ id, cents, paymentAccountId }) => ({ causeId: id, cents, paymentAccountId }))
  const { tenantId, environment, chainId, settlementAccountId } = batch
  await recordLanding(
    sql,
    { tenantId, environment, chainId, now },
    {
      settlementAccountId,
      batchId: batch.id,
      captures: moves(captures),
      refunds: moves(refunds),
      feeUnits: outcome.feeUnits,
    },
  )
  await landCaptures(sql, { ids: captures.map(({ id }) => id), now })
  await landRefunds(sql, { ids: refunds.map(({ id }) => id), now })
  const failed = items.filter(({ id }) => outcome.failures.has(id))
  await failItems(sql, batch.id, failed, { failureOf: ({ id }) => outcome.failures.get(id), now })
  return true
}

/**
 * Fails a batch that has not ended: nothing of it moved on the chain. Opens its review. False where
 * it has ended before.
 */
export async function failBatch(
  sql: TxSql,
  {
    batchId,
    failure,
    now: installationNow,
  }: { batchId: string; failure: SettlementFailure; now: EpochMs },
  block: BatchEnd['block'] = null,
): Promise<boolean> {
  const batch = await lockBatch(sql, batchId)
  if (batch === null || ['completed', 'failed'].includes(batch.status)) return false
  const items = await listBatchItems(sql, batch.id)
  await lockPaymentsOf(sql, idsByKind(items))
  const now = installationNow + batch.clockOffsetMs
  await endBatch(sql, batch.id, { status: 'failed', sums: null, block, failure, now })
  await failItems(sql, batch.id, items, { failureOf: () => failure, now })
  return true
}

/**
 * Refunds that can never be sent fail for good and leave an open batch, which goes on without them;
 * its review opens.
 */
export async function dropRefunds(
  sql: TxSql,
  {
    batchId,
    refundIds,
    failure,
    now,
  }: {
    batchId: string
    refundIds: readonly string[]
    failure: SettlementFailure
    now: EpochMs
  },
): Promise<void> {
  const batch = await lockBatch(sql, batchId)
  if (batch?.status !== 'open') return
  await lockPaymentsOf(sql, { captureIds: [], refundIds })
  await failRefunds(sql, { failures: refundIds.map((id) => ({ id, failure })), triesMax: 1 })
  await saveWithoutRefunds(sql, batchId, refundIds)
  await saveRefundReview(sql, batchId, { refundIds, now: now + batch.clockOffsetMs })
}

async function endBatch(sql: TxSql, id: string, end: BatchEnd): Promise<void> {
  const row = await saveBatchEnd(sql, id, end)
  const { tenantId, environment } = row
  const completed = end.status === 'completed'
  await recordEvent(sql, {
    tenantId,
    environment,
    type: completed ? 'payment.settlement_batch_completed' : 'payment.settlement_batch_failed',
    data: { settlement_batch: batchView(row) },
    resourceId: id,
    now: end.now,
  })
}

async function failItems(
  sql: TxSql,
  batchId: string,
  items: readonly BatchItem[],
  {
    failureOf,
    now,
  }: { failureOf: (item: BatchItem) => SettlementFailure | undefined; now: EpochMs },
): Promise<void> {
  const failed = items.flatMap((item) => {
    const failure = failureOf(item)
    return failure === undefined ? [] : [{ ...item, failure }]
  })
  await failCaptures(sql, { failures: failed.filter(({ kind }) => kind === 'capture'), now })
  const refunds = failed.filter(({ kind }) => kind === 'refund')
  if (refunds.length === 0) return
  await failRefunds(sql, { failures: refunds })
  await saveRefundReview(sql, batchId, { refundIds: refunds.map(({ id }) => id), now })
}

function idsByKind(items: readonly BatchItem[]): { captureIds: string[]; refundIds: string[] } {
  const named = (kind: BatchItem['kind']): string[] =>
    items.filter((item) => item.kind === kind).map(({ id }) => id)
  return { captureIds: named('capture'), refundIds: named('refund') }
}

function sumOf(items: readonly BatchItem[]): number {
  return items.reduce((sum, { cents }) => sum + cents, 0)
}
