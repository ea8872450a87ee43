// The outcome of captures and refunds on the chain: settlement lands here, in the transaction of
// its batch, with the payments locked before.
import type { EpochMs } from '../../../shared/clock.ts'
import type { SettlementFailure } from '../../../shared/schemas/payment.ts'
import type { TxSql } from '../../database/transaction.ts'
import { type PaymentSums, statusOf } from './states.ts'

export interface Landed {
  ids: readonly string[]
  /** By the tenant's clock. */
  now: EpochMs
}

export interface Failed {
  failures: readonly { id: string; failure: SettlementFailure }[]
}

/** Chosen: a refund is tried three times; then an operator looks at it. */
const REFUND_TRIES_MAX = 3

/** Locks the payments of captures and refunds, in one order, until the transaction ends. */
export async function lockPaymentsOf(
  sql: TxSql,
  { captureIds, refundIds }: { captureIds: readonly string[]; refundIds: readonly string[] },
): Promise<void> {
  await sql`
    select id from payments where id in (
      select payment_id from payment_captures where id = any(${captureIds}::text[])
      union select payment_id from payment_refunds where id = any(${refundIds}::text[])
    ) order by id for no key update`
}

/** Captures whose Captured stands in a final block. */
export async function landCaptures(sql: TxSql, { ids, now }: Landed): Promise<void> {
  const payments = await sql<{ id: string }[]>`
    with landed as (
      update payment_captures set status = 'landed', landed_at = ${now}, failure = null
      where id = any(${ids}::text[]) and status in ('submitted', 'included')
      returning payment_id, amount_cents
    ),
    sums as (
      select payment_id, sum(amount_cents)::bigint as cents from landed group by payment_id
    )
    update payments set captured_cents = captured_cents + cents,
      capture_pending_cents = capture_pending_cents - cents
    from sums where payments.id = sums.payment_id returning payments.id`
  await deriveStatuses(sql, payments)
}

/** Captures that the chain refused, or whose batch failed. */
export async function failCaptures(sql: TxSql, { failures }: Failed): Promise<void> {
  const payments = await sql<{ id: string }[]>`
    with failed as (
      update payment_captures set status = 'failed', failure = told.failure::jsonb
      from unnest(
        ${failures.map(({ id }) => id)}::text[],
        ${failures.map(({ failure }) => JSON.stringify(failure))}::text[]
      ) as told (id, failure)
      where payment_captures.id = told.id and status in ('pending', 'submitted', 'included')
      returning payment_id, amount_cents, payment_captures.failure as failure
    ),
    sums as (
      select payment_id, sum(amount_cents)::bigint as cents, (array_agg(failure))[1] as failure
      from failed group by payment_id
    )
    update payments set failure = sums.failure,
      capture_failed_cents = capture_failed_cents + cents,
      capture_pending_cents = capture_pending_cents - cents
    from sums where payments.id = sums.payment_id returning payments.id`
  await deriveStatuses(sql, payments)
}

/** Refunds whose Refunded stands in a final block. */
export async function landRefunds(sql: TxSql, { ids, now }: Landed): Promise<void> {
  const payments = await sql<{ id: string }[]>`
    with landed as (
      update payment_refunds set status = 'landed', landed_at = ${now}, failure = null
      where id = any(${ids}::text[]) and status in ('submitted', 'included')
      returning payment_id, amount_cents
    ),
    sums as (
      select payment_id, sum(amount_cents)::bigint as cents from landed group by payment_id
    )
    update payments set refunded_cents = refunded_cents + cents,
      refund_pending_cents = refund_pending_cents - cents
    from sums where payments.id = sums.payment_id returning payments.id`
  await deriveStatuses(sql, payments)
}

/** Refunds that did not land wait for another batch; after three tries they have failed. */
export async function failRefunds(sql: TxSql, { failures }: Failed): Promise<void> {
  await sql`
    with failed as (
      update payment_refunds set tries = tries + 1, failure = told.failure::jsonb,
        settlement_batch_id = case when tries + 1 < ${REFUND_TRIES_MAX} then null
          else settlement_batch_id end,
        status = case when tries + 1 < ${REFUND_TRIES_MAX} then 'pending' else 'failed' end
      from unnest(
        ${failures.map(({ id }) => id)}::text[],
        ${failures.map(({ failure }) => JSON.stringify(failure))}::text[]
      ) as told (id, failure)
      where payment_refunds.id = told.id
        and status in ('pending', 'awaiting_funds', 'submitted', 'included')
      returning payment_id, amount_cents, status
    ),
    given_up as (
      select payment_id, sum(amount_cents)::bigint as cents from failed
      where status = 'failed' group by payment_id
    )
    update payments set refund_pending_cents = refund_pending_cents - cents
    from given_up where payments.id = given_up.payment_id`
}

/** Statuses follow from the sums in one function. */
async function deriveStatuses(sql: TxSql, payments: readonly { id: string }[]): Promise<void> {
  const ids = payments.map(({ id }) => id)
  const rows = await sql<(PaymentSums & { id: string; covered: boolean; confirmed: boolean })[]>`
    select id, amount_cents as "amountCents", captured_cents as "capturedCents",
      capture_pending_cents as "capturePendingCents", capture_failed_cents as "captureFailedCents",
      refunded_cents as "refundedCents", refund_pending_cents as "refundPendingCents",
      voided_cents as "voidedCents", mandate_id is not null as covered,
      confirmed_at is not null as confirmed
    from payments where id = any(${ids}::text[])`
  const statuses = rows.map((row) => statusOf({ ...row, decision: 'approved' }))
  await sql`
    update payments set status = fresh.status
    from unnest(${rows.map(({ id }) => id)}::text[], ${statuses}::text[]) as fresh (id, status)
    where payments.id = fresh.id`
}
