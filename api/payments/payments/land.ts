// Results of settling, recorded by the settler inside its own transaction: from the logs of a final
// receipt, or with a batch that failed. Each capture and refund is landed once, whatever is told
// how often. Spec 6.2: payment.captured, payment.refunded, payment.failed.
import { assert } from '../../../shared/assert.ts'
import type { EpochMs } from '../../../shared/clock.ts'
import type { SettlementFailure } from '../../../shared/schemas/payment.ts'
import type { TxSql } from '../../database/transaction.ts'
import { movePayment } from './move.ts'
import { lockAnyPayment } from './store.ts'
import {
  findCapture,
  findRefund,
  type StoredCapture,
  saveCapture,
  saveRefundLanded,
} from './transfers-store.ts'
import type { PaymentRow } from './view.ts'

export interface Landed {
  ids: readonly string[]
  /** By the tenant's clock. */
  now: EpochMs
}

export interface Failed {
  failures: readonly { id: string; failure: SettlementFailure }[]
  /** By the tenant's clock. */
  now: EpochMs
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

/** Captures whose chain transaction is final. */
export async function landCaptures(sql: TxSql, { ids, now }: Landed): Promise<void> {
  await eachInFlight(sql, ids, async (payment, { id, amountCents }) => {
    await saveCapture(sql, { id, status: 'landed', landedAt: now })
    const change = {
      capturePendingCents: payment.capturePendingCents - amountCents,
      capturedCents: payment.capturedCents + amountCents,
    }
    await movePayment(sql, payment, { move: 'land', change, now })
  })
}

/** Captures that the chain refused, or of a batch that failed. */
export async function failCaptures(sql: TxSql, { failures, now }: Failed): Promise<void> {
  const reasons = new Map(failures.map(({ id, failure }) => [id, failure]))
  await eachInFlight(sql, [...reasons.keys()], async (payment, { id, amountCents }) => {
    const failure = reasons.get(id) ?? null
    await saveCapture(sql, { id, status: 'failed', failure })
    const change = {
      capturePendingCents: payment.capturePendingCents - amountCents,
      captureFailedCents: payment.captureFailedCents + amountCents,
      failure,
    }
    await movePayment(sql, payment, { move: 'fail', change, now })
  })
}

/** Refunds whose chain transaction is final. */
export async function landRefunds(sql: TxSql, { ids, now }: Landed): Promise<void> {
  for (const id of [...ids].sort()) {
    const found = await findRefund(sql, id)
    assert(found !== null, 'a landed refund is one of ours')
    const payment = await lockAnyPayment(sql, found.paymentId)
    const refund = await findRefund(sql, id)
    if (payment === null || refund === null || refund.status === 'landed') continue
    await saveRefundLanded(sql, { id, now })
    const change = {
      refundPendingCents: payment.refundPendingCents - refund.amountCents,
      refundedCents: payment.refundedCents + refund.amountCents,
    }
    await movePayment(sql, payment, { move: 'land_refund', change, now })
  }
}

/** Refunds that did not land wait for another batch; after three tries they have failed. */
export async function failRefunds(
  sql: TxSql,
  { failures }: Pick<Failed, 'failures'>,
): Promise<void> {
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

/** In the order of ids, so that two settlers would not wait for each other in a circle. */
async function eachInFlight(
  sql: TxSql,
  captureIds: readonly string[],
  apply: (payment: PaymentRow, capture: StoredCapture) => Promise<void>,
): Promise<void> {
  for (const id of [...captureIds].sort()) {
    const found = await findCapture(sql, id)
    assert(found !== null, 'a settled capture is one of ours')
    const payment = await lockAnyPayment(sql, found.paymentId)
    const capture = await findCapture(sql, id)
    if (payment === null || capture === null || !IN_FLIGHT.has(capture.status)) continue
    await apply(payment, capture)
  }
}

const IN_FLIGHT: ReadonlySet<string> = new Set(['pending', 'submitted', 'included'])
