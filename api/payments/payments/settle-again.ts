// An operator's word on a payment of which a capture failed: it is tried again, or abandoned.
// Spec 6.2, payment.settlement_retry_requested.
import type { EpochMs } from '../../../shared/clock.ts'
import type { Payment } from '../../../shared/schemas/payment.ts'
import type { OperatorContext } from '../../context.ts'
import { type TxSql, tx } from '../../database/transaction.ts'
import { Refusal } from '../../http/refusal.ts'
import { auditOperator } from '../../write/audit.ts'
import { isAnswered, write } from '../../write/write.ts'
import { concludeRelease, failedBatchIds } from './conclude.ts'
import { engineAway, type PaymentEnginePort } from './engine.ts'
import { movePayment, requirePaymentMove } from './move.ts'
import { begin, releaseHold } from './release.ts'
import { requireApproval } from './require.ts'
import { requeueCaptures, resolveReviews } from './review-store.ts'
import { lockAnyPayment } from './store.ts'
import { type PaymentRow, paymentView } from './view.ts'

/**
 * Queues the failed captures of a payment for another batch. Refuses with 409 a payment that has
 * not failed, and approval_expired where the chain would refuse the captures.
 */
export async function retrySettlement(context: OperatorContext, id: string): Promise<Payment> {
  return write(context, async (sql) => {
    const payment = await requireAny(sql, id)
    const retried = await retryFailed(sql, payment, context.now + payment.clockOffsetMs)
    await auditOperator(sql, context, payment, id)
    return paymentView(retried)
  })
}

/** The payment is locked. `now` by the tenant's clock. */
export async function retryFailed(
  sql: TxSql,
  payment: PaymentRow,
  now: EpochMs,
): Promise<PaymentRow> {
  requirePaymentMove(payment, 'retry')
  requireApproval(payment, now)
  const batchIds = failedBatchIds(payment)
  await requeueCaptures(sql, payment.id)
  const retried = await movePayment(sql, payment, {
    move: 'retry',
    change: {
      captureFailedCents: 0,
      capturePendingCents: payment.capturePendingCents + payment.captureFailedCents,
      failure: null,
    },
    now,
  })
  await resolveReviews(sql, { batchIds, resolution: 'retried', now })
  return retried
}

/**
 * Gives up the failed captures of a payment and releases its rest: the engine takes them back
 * first. A repeat of a call that was cut off goes on with it.
 */
export async function abandonSettlement(
  context: OperatorContext,
  id: string,
  port: PaymentEnginePort,
): Promise<Payment> {
  const { sql, now, wait } = context
  const answered = await isAnswered(sql, context)
  if (!answered) {
    const work = async (inner: TxSql): Promise<void> => {
      const payment = await requireAny(inner, id)
      if (payment.releasing === 'settlement_abandoned') return
      await beginAbandon(inner, payment, now)
      await auditOperator(inner, context, payment, id)
    }
    await tx(sql, work, { safeToRepeat: true, wait })
  }
  const released = answered || (await releaseHold(sql, id, port))
  return write(context, async (inner) => {
    const payment = await requireAny(inner, id)
    if (!released) throw engineAway(id)
    const tenantNow = now + payment.clockOffsetMs
    const ended =
      payment.releasing === null ? payment : await concludeRelease(inner, payment, tenantNow)
    return paymentView(ended)
  })
}

/**
 * The payment is locked; `now` is the installation's. The decision is final from now on: it ends
 * reviews that wait for nothing else, and the engine takes the captures back.
 */
export async function beginAbandon(sql: TxSql, payment: PaymentRow, now: EpochMs): Promise<void> {
  const tenantNow = now + payment.clockOffsetMs
  await begin(sql, payment, 'settlement_abandoned', tenantNow)
  const batchIds = failedBatchIds(payment)
  await resolveReviews(sql, { batchIds, resolution: 'abandoned', now: tenantNow })
}

async function requireAny(sql: TxSql, id: string): Promise<PaymentRow> {
  const payment = await lockAnyPayment(sql, id)
  if (payment === null || payment.status === 'deciding') throw new Refusal('resource_missing')
  return payment
}
