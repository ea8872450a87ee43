// A batch that the chain has and whose closing a failover lost. Its items wait for a batch again,
// or are in others: an open one of those takes its place, and one in flight goes on without them.
import type { EpochMs } from '../../../shared/clock.ts'
import { newId } from '../../../shared/id.ts'
import type { TxSql } from '../../database/transaction.ts'
import { type ClosingAccount, insertBatch, insertPayments, putItems } from './store.ts'

export interface LostBatch {
  account: ClosingAccount & { feeBps: number }
  /** The 32 bytes by which the chain knows it. */
  name: Buffer
  captureIds: readonly string[]
  refundIds: readonly string[]
  /** Batches that have items of it and have not ended. */
  batchIds: readonly string[]
  /** Installation time, for the id. */
  now: EpochMs
}

/** Puts the items, and no others, into a batch of this name; returns its id. */
export async function adoptBatch(sql: TxSql, lost: LostBatch): Promise<string> {
  const { batchIds, captureIds, refundIds, name } = lost
  const [open] = await sql<{ id: string }[]>`
    select id from settlement_batches
    where id = any(${batchIds}::text[]) and status = 'open' order by id limit 1`
  const id = open?.id ?? (await insertEmpty(sql, lost))
  const changed = [...new Set([...batchIds, id])]
  await sql`
    update payment_captures set settlement_batch_id = null
    where settlement_batch_id = ${id} and not id = any(${captureIds}::text[])`
  await sql`
    update payment_refunds set settlement_batch_id = null
    where settlement_batch_id = ${id} and status <> 'failed'
      and not id = any(${refundIds}::text[])`
  await putItems(sql, { id, captureIds, refundIds })
  await sql`
    update settlement_batches set chain_name = ${name}, cancel_requested_at = null where id = ${id}`
  await countAnew(sql, changed)
  return id
}

async function insertEmpty(sql: TxSql, { account, now }: LostBatch): Promise<string> {
  const [tenant] = await sql<{ offsetMs: number }[]>`
    select clock_offset(${account.tenantId}, ${account.environment}) as "offsetMs"`
  const nothing = { captureIds: [], refundIds: [], grossCents: 0, refundsCents: 0, feeCents: 0 }
  const { feeBps } = account
  const tenantNow = now + (tenant?.offsetMs ?? 0)
  const trigger = 'interval'
  const batch = { id: newId('stb', now), account, trigger, feeBps, ...nothing } as const
  return (await insertBatch(sql, { ...batch, now: tenantNow })).id
}

/** Sums, payments and calls of batches whose items have changed. */
async function countAnew(sql: TxSql, ids: readonly string[]): Promise<void> {
  await sql`
    with items as (
      select settlement_batch_id as id, 1 as captures, amount_cents as gross, 0 as back
      from payment_captures where settlement_batch_id = any(${ids}::text[])
      union all
      select settlement_batch_id, 0, 0, amount_cents
      from payment_refunds
      where settlement_batch_id = any(${ids}::text[]) and status <> 'failed'
    ),
    sums as (
      select b.id, coalesce(sum(i.captures), 0) as captures,
        count(i.id) - coalesce(sum(i.captures), 0) as refunds, coalesce(sum(i.gross), 0) as gross,
        coalesce(sum(i.back), 0) as back,
        div(coalesce(sum(i.gross), 0) * coalesce(b.fee_bps, 0), 10000) as fee
      from settlement_batches b left join items i on i.id = b.id
      where b.id = any(${ids}::text[]) group by b.id
    )
    update settlement_batches b set call = null, refused_since = null, captures = s.captures,
      refunds = s.refunds, gross_cents = s.gross, refunds_cents = s.back, fee_cents = s.fee,
      net_cents = s.gross - s.back - s.fee
    from sums s where s.id = b.id`
  await sql`
    delete from settlement_batch_payments where settlement_batch_id = any(${ids}::text[])`
  await insertPayments(sql, ids)
}
