// Statements about failed captures: they are tried again, and the reviews of their batches end.
import type { EpochMs } from '../../../shared/clock.ts'
import type { SqlTag } from '../../database/pool.ts'
import { fixed } from '../../database/static-fragments.ts'
import type { TxSql } from '../../database/transaction.ts'

/** The capture `c` of the payment `p` failed, and is neither tried again nor abandoned. */
const UNDECIDED = fixed`
  c.status = 'failed' and p.capture_failed_cents > 0
    and p.releasing is distinct from 'settlement_abandoned'`

/** The failed captures of a payment wait for another batch; each keeps its bit on the chain. */
export async function requeueCaptures(sql: TxSql, paymentId: string): Promise<void> {
  await sql`
    update payment_captures set status = 'pending', settlement_batch_id = null, failure = null,
      retries = retries + 1
    where payment_id = ${paymentId} and status = 'failed'`
}

/**
 * Ends the open reviews of batches of which no capture or refund is left to decide on. `whole`: an
 * operator decided on the batch itself, its failed refunds included.
 */
export async function resolveReviews(
  sql: TxSql,
  review: {
    batchIds: readonly string[]
    resolution: 'retried' | 'abandoned'
    now: EpochMs
    whole?: boolean
  },
): Promise<void> {
  const end = { status: 'resolved', resolvedAt: review.now, resolution: review.resolution }
  await sql`
    update settlement_batches b set review = review || ${JSON.stringify(end)}::text::jsonb
    where id = any(${[...review.batchIds]}::text[]) and review ->> 'status' = 'open'
      and not exists (
        select 1 from payment_captures c join payments p on p.id = c.payment_id
        where c.settlement_batch_id = b.id and ${UNDECIDED}
      )
      and (${review.whole ?? false} or not exists (
        select 1 from payment_refunds r
        where r.settlement_batch_id = b.id and r.status = 'failed'
      ))`
}

/** Payments with failed captures of a batch to decide on, in the order of their ids. */
export async function listUndecided(sql: TxSql, batchId: string): Promise<string[]> {
  const rows = await sql<{ id: string }[]>`
    select distinct p.id from payment_captures c join payments p on p.id = c.payment_id
    where c.settlement_batch_id = ${batchId} and ${UNDECIDED} order by p.id`
  return rows.map(({ id }) => id)
}

/** Payments with captures of a batch whose abandonment the engine has not confirmed. */
export async function listAbandoned(sql: SqlTag, batchId: string): Promise<string[]> {
  const rows = await sql<{ id: string }[]>`
    select id from payments where releasing = 'settlement_abandoned' and id in (
      select payment_id from payment_captures where settlement_batch_id = ${batchId}
    ) order by id`
  return rows.map(({ id }) => id)
}

/**
 * Refunds that were given up in a batch are tried again, the oldest first, as far as their payments
 * allow: the tenant may have refunded the same money since.
 */
export async function requeueRefunds(sql: TxSql, batchId: string): Promise<void> {
  await sql`
    with failed as (
      select id, payment_id, sum(amount_cents) over (partition by payment_id order by id) as until
      from payment_refunds where settlement_batch_id = ${batchId} and status = 'failed'
    ),
    refundable as (
      select id, captured_cents - refunded_cents - refund_pending_cents as cents from payments
      where id in (select payment_id from failed) order by id for no key update
    ),
    again as (
      update payment_refunds r set status = 'pending', settlement_batch_id = null, failure = null,
        tries = 0
      from failed join refundable on refundable.id = failed.payment_id
      where r.id = failed.id and r.status = 'failed' and failed.until <= refundable.cents
      returning r.payment_id, r.amount_cents
    ),
    sums as (select payment_id, sum(amount_cents)::bigint as cents from again group by payment_id)
    update payments set refund_pending_cents = refund_pending_cents + cents
    from sums where payments.id = sums.payment_id`
}
