// Statements of the end of a batch.
import { assert } from '../../../shared/assert.ts'
import type { EpochMs } from '../../../shared/clock.ts'
import type { SettlementFailure } from '../../../shared/schemas/payment.ts'
import type { TxSql } from '../../database/transaction.ts'
import { batchColumns } from './store.ts'
import type { BatchRow, Review } from './view.ts'

export interface BatchItem {
  kind: 'capture' | 'refund'
  id: string
  cents: number
  paymentAccountId: string
}

export interface LockedBatch extends BatchRow {
  clockOffsetMs: number
}

export async function lockBatch(sql: TxSql, id: string): Promise<LockedBatch | null> {
  const [row] = await sql<LockedBatch[]>`
    select ${batchColumns(sql)}, clock_offset(tenant_id, environment) as "clockOffsetMs"
    from settlement_batches where id = ${id} for no key update`
  return row ?? null
}

/** The captures and refunds of a batch, in the order of the call. */
export async function listBatchItems(sql: TxSql, batchId: string): Promise<readonly BatchItem[]> {
  return sql<BatchItem[]>`
    select 'capture' as kind, c.id, c.amount_cents as cents,
      p.payment_account_id as "paymentAccountId"
    from payment_captures c join payments p on p.id = c.payment_id
    where c.settlement_batch_id = ${batchId}
    union all
    select 'refund', r.id, r.amount_cents, p.payment_account_id
    from payment_refunds r join payments p on p.id = r.payment_id
    where r.settlement_batch_id = ${batchId}
    order by kind, id`
}

export interface BatchEnd {
  status: 'completed' | 'failed'
  /** Null keeps the sums that were asked for. */
  sums: { grossCents: number; refundsCents: number; feeCents: number } | null
  /** Null where no transaction of it was mined. */
  block: {
    transactionHash: Buffer
    blockNumber: number
    blockHash: Buffer
    gasUsed: number
  } | null
  /** The reason of a failed batch, which opens the review; null for a completed one. */
  failure: SettlementFailure | null
  now: EpochMs
}

export async function saveBatchEnd(sql: TxSql, id: string, end: BatchEnd): Promise<BatchRow> {
  const { status, sums, block, failure, now } = end
  const [row] = await sql<BatchRow[]>`
    update settlement_batches set status = ${status}, completed_at = ${now},
      ${
        sums === null
          ? sql``
          : sql`gross_cents = ${sums.grossCents}, refunds_cents = ${sums.refundsCents},
              fee_cents = ${sums.feeCents},
              net_cents = ${sums.grossCents - sums.refundsCents - sums.feeCents},`
      }
      transaction_hash = ${block?.transactionHash ?? null},
      block_number = ${block?.blockNumber ?? null}, block_hash = ${block?.blockHash ?? null},
      gas_used = ${block?.gasUsed ?? null},
      failure = ${failure === null ? null : JSON.stringify(failure)}::text::jsonb,
      review = coalesce(
        ${status === 'failed' ? JSON.stringify(openedReview(now)) : null}::text::jsonb, review
      )
    where id = ${id}
    returning ${batchColumns(sql)}`
  assert(row !== undefined, 'a locked batch does not vanish')
  return row
}

function openedReview(now: EpochMs): Review {
  return { status: 'open', openedAt: now, resolvedAt: null, resolution: null }
}

/**
 * Opens the review of a batch in which one of these refunds was given up, again where an earlier
 * one was resolved.
 */
export async function saveRefundReview(
  sql: TxSql,
  id: string,
  { refundIds, now }: { refundIds: readonly string[]; now: EpochMs },
): Promise<void> {
  await sql`
    update settlement_batches set review = ${JSON.stringify(openedReview(now))}::text::jsonb
    where id = ${id} and (review is null or review ->> 'status' <> 'open') and exists (
      select 1 from payment_refunds
      where settlement_batch_id = ${id} and status = 'failed'
        and id = any(${[...refundIds]}::text[])
    )`
}

/** Takes refunds out of the sums of a batch. */
export async function saveWithoutRefunds(
  sql: TxSql,
  id: string,
  refundIds: readonly string[],
): Promise<void> {
  await sql`
    update settlement_batches set refunds = refunds - gone.count,
      refunds_cents = refunds_cents - gone.cents, net_cents = net_cents + gone.cents
    from (
      select count(*) as count, coalesce(sum(amount_cents), 0)::bigint as cents
      from payment_refunds where id = any(${[...refundIds]}::text[])
    ) gone
    where id = ${id}`
}

/** The first request stands. */
export async function saveCancelRequest(sql: TxSql, id: string, now: EpochMs): Promise<void> {
  await sql`
    update settlement_batches set cancel_requested_at = coalesce(cancel_requested_at, ${now}::bigint)
    where id = ${id}`
}
