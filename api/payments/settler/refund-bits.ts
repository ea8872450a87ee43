// Bits of refunds under the approvals on the chain. Only the settler assigns them, in its lead and
// before anything is signed: also for batches that an earlier release closed.
import type { TxSql } from '../../database/transaction.ts'
import { REFUNDS_MAX } from '../chain/terms.ts'

/** Each refund of the batch that has none takes the lowest free bit of its approval, for ever. */
export async function assignRefundBits(sql: TxSql, batchId: string): Promise<void> {
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
