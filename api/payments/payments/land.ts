// Results of settling, recorded by the settler inside its own transaction: from the logs of a final
// receipt, or with a batch that failed. Each capture and refund is landed once, whatever is told
// how often. Spec 6.2: payment.captured, payment.refunded, payment.failed.
import { assert } from '../../../shared/assert.ts'
import type { EpochMs } from '../../../shared/clock.ts'
import type { SettlementFailure } from '../../../shared/schemas/payment.ts'
import type { TxSql } from '../../database/transaction.ts'
import { noteExhausted } from '../payment-mandates/index.ts'
import { movePayments } from './move.ts'
import { listAnyPayments, type PaymentChange } from './store.ts'
import { listCaptures, listRefunds, saveCaptureEnds, saveRefundsLanded } from './transfers-store.ts'
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
  await endCaptures(sql, ids, { move: 'land', failureOf: () => null, now })
}

/** Captures that the chain refused, or of a batch that failed. */
export async function failCaptures(sql: TxSql, { failures, now }: Failed): Promise<void> {
  const reasons = new Map(failures.map(({ id, failure }) => [id, failure]))
  const failureOf = (id: string): SettlementFailure | null => reasons.get(id) ?? null
  await endCaptures(sql, [...reasons.keys()], { move: 'fail', failureOf, now })
}

interface CapturesEnd {
  move: 'land' | 'fail'
  failureOf: (captureId: string) => SettlementFailure | null
  now: EpochMs
}

async function endCaptures(
  sql: TxSql,
  ids: readonly string[],
  { move, failureOf, now }: CapturesEnd,
): Promise<void> {
  const inFlight = (await listCaptures(sql, ids)).filter(({ status }) => IN_FLIGHT.has(status))
  const covers = new Set<string>()
  for (const captures of onePerPayment(inFlight)) {
    const ends = captures.map(({ id }) => ({ id, failure: failureOf(id) }))
    await saveCaptureEnds(sql, ends, move === 'land' ? now : null)
    const changes = await changesOf(sql, captures, (payment, { id, amountCents }) => {
      const capturePendingCents = payment.capturePendingCents - amountCents
      return move === 'land'
        ? { capturePendingCents, capturedCents: payment.capturedCents + amountCents }
        : {
            capturePendingCents,
            captureFailedCents: payment.captureFailedCents + amountCents,
            failure: failureOf(id),
          }
    })
    await movePayments(sql, changes, { move, now })
    for (const { payment } of changes) if (payment.mandateId !== null) covers.add(payment.mandateId)
  }
  if (move === 'land') await noteExhausted(sql, [...covers])
}

/** Refunds whose chain transaction is final. */
export async function landRefunds(sql: TxSql, { ids, now }: Landed): Promise<void> {
  const waiting = (await listRefunds(sql, ids)).filter(({ status }) => status !== 'landed')
  for (const refunds of onePerPayment(waiting)) {
    await saveRefundsLanded(sql, { ids: refunds.map(({ id }) => id), now })
    const changes = await changesOf(sql, refunds, (payment, { amountCents }) => ({
      refundPendingCents: payment.refundPendingCents - amountCents,
      refundedCents: payment.refundedCents + amountCents,
    }))
    await movePayments(sql, changes, { move: 'land_refund', now })
  }
}

interface Transfer {
  id: string
  paymentId: string
  amountCents: number
}

/** The transfers in groups that name each payment once: a later one builds on an earlier one. */
function onePerPayment<Each extends Transfer>(transfers: readonly Each[]): Each[][] {
  const groups: Each[][] = []
  const seen = new Map<string, number>()
  for (const transfer of transfers) {
    const at = seen.get(transfer.paymentId) ?? 0
    seen.set(transfer.paymentId, at + 1)
    const group = groups[at] ?? []
    group.push(transfer)
    groups[at] = group
  }
  return groups
}

/** The change of each payment; the caller holds the locks of the payments. */
async function changesOf<Each extends Transfer>(
  sql: TxSql,
  transfers: readonly Each[],
  change: (payment: PaymentRow, transfer: Each) => PaymentChange,
): Promise<{ payment: PaymentRow; change: PaymentChange }[]> {
  const byPayment = new Map(transfers.map((transfer) => [transfer.paymentId, transfer]))
  const payments = await listAnyPayments(sql, [...byPayment.keys()])
  return payments.map((payment) => {
    const transfer = byPayment.get(payment.id)
    assert(transfer !== undefined, 'a payment is read for its transfer')
    return { payment, change: change(payment, transfer) }
  })
}

/**
 * Refunds that did not land wait for another batch; after three tries, or `triesMax`, they have
 * failed.
 */
export async function failRefunds(
  sql: TxSql,
  { failures, triesMax = REFUND_TRIES_MAX }: Pick<Failed, 'failures'> & { triesMax?: number },
): Promise<void> {
  await sql`
    with failed as (
      update payment_refunds set tries = tries + 1, failure = told.failure::jsonb,
        settlement_batch_id = case when tries + 1 < ${triesMax} then null
          else settlement_batch_id end,
        status = case when tries + 1 < ${triesMax} then 'pending' else 'failed' end
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

const IN_FLIGHT: ReadonlySet<string> = new Set(['pending', 'submitted', 'included'])
