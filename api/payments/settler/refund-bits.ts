// Bits of refunds under the approvals on the chain. A refund has its bit from its creation on; one
// that an earlier release recorded gets it here, in the lead and before anything is signed.
import type { TxSql } from '../../database/transaction.ts'
import { REFUNDS_MAX } from '../chain/terms.ts'

/** Each refund of the batch that has none takes the lowest free bit of its approval, for ever. */
export async function assignRefundBits(sql: TxSql, batchId: string): Promise<void> {
  await lockApprovals(
    sql,
    await sql<{ id: string }[]>`
      select id from payment_refunds where settlement_batch_id = ${batchId} and bit is null`,
  )
  await sql`
    with asking as (
      select r.id, coalesce(p.mandate_id, p.id) as approval_id, row_number() over (
        partition by coalesce(p.mandate_id, p.id) order by r.created_at, r.id
      ) as place
      from payment_refunds r join payments p on p.id = r.payment_id
      where r.settlement_batch_id = ${batchId} and r.bit is null
    )
    update payment_refunds r set approval_id = asking.approval_id, bit = (
      select n from generate_series(0, ${REFUNDS_MAX - 1}::int) n
      where not exists (
        select 1 from payment_refunds t where t.approval_id = asking.approval_id and t.bit = n
      )
      order by n offset asking.place - 1 limit 1
    )
    from asking where r.id = asking.id`
}

/**
 * Keeps the bits by which the chain knows refunds, where the database has others: it may be older
 * than the call. A refund that has such a bit here takes the other one's, so that none is lost.
 */
export async function keepChainBits(sql: TxSql, bits: ReadonlyMap<string, number>): Promise<void> {
  if (bits.size === 0) return
  await lockApprovals(
    sql,
    [...bits.keys()].map((id) => ({ id })),
  )
  for (const [id, bit] of bits) {
    const [had] = await sql<{ approvalId: string; bit: number | null }[]>`
      select coalesce(p.mandate_id, p.id) as "approvalId", r.bit
      from payment_refunds r join payments p on p.id = r.payment_id where r.id = ${id}`
    if (had === undefined || had.bit === bit) continue
    const [other] = await sql<{ id: string }[]>`
      update payment_refunds set bit = null where approval_id = ${had.approvalId} and bit = ${bit}
      returning id`
    await sql`
      update payment_refunds set approval_id = ${had.approvalId}, bit = ${bit} where id = ${id}`
    if (other !== undefined)
      await sql`update payment_refunds set bit = ${had.bit} where id = ${other.id}`
  }
}

/** Calls that create refunds under the approvals of these wait: both look for free bits. */
async function lockApprovals(sql: TxSql, refunds: readonly { id: string }[]): Promise<void> {
  if (refunds.length === 0) return
  const ids = refunds.map(({ id }) => id)
  await sql`
    select id from payments where id in (
      select payment_id from payment_refunds where id = any(${ids}::text[])
    ) order by id for no key update`
  await sql`
    select id from payment_mandates where id in (
      select p.mandate_id from payment_refunds r join payments p on p.id = r.payment_id
      where r.id = any(${ids}::text[])
    ) order by id for no key update`
}
