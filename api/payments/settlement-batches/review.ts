// An operator's word on a batch: its open review is resolved, or the batch is cancelled.
import type { SettlementBatch } from '../../../shared/schemas/settlement-batch.ts'
import type { OperatorContext } from '../../context.ts'
import { type TxSql, tx } from '../../database/transaction.ts'
import { Refusal } from '../../http/refusal.ts'
import { auditOperator } from '../../write/audit.ts'
import { requireState } from '../../write/move.ts'
import { isAnswered, write } from '../../write/write.ts'
import {
  beginAbandon,
  finishRelease,
  listFailedPayments,
  lockAnyPayment,
  type PaymentEnginePort,
  requeueRefunds,
  resolveReviews,
  retryFailed,
} from '../payments/index.ts'
import { type LockedBatch, lockBatch, saveCancelRequest } from './outcome-store.ts'
import { batchView } from './view.ts'

/**
 * Tries every failed capture and refund of the batch again, or abandons the captures; refunds that
 * were given up stay failed then. Refuses with 409 a batch without an open review, and with
 * approval_expired a retry that the chain would refuse.
 */
export async function resolveReview(
  context: OperatorContext,
  { id, resolution }: { id: string; resolution: 'retry' | 'abandon' },
  port: PaymentEnginePort,
): Promise<SettlementBatch> {
  const { sql, now } = context
  if (resolution === 'abandon' && !(await isAnswered(sql, context)))
    await abandonAll(context, id, port)
  return write(context, async (inner) => {
    const batch = await requireReview(inner, id)
    if (resolution === 'retry') await retryAll(inner, id, now)
    else await requireAbandoned(inner, id)
    await resolveReviews(inner, {
      batchIds: [id],
      resolution: resolution === 'retry' ? 'retried' : 'abandoned',
      now: now + batch.clockOffsetMs,
      whole: true,
    })
    await auditOperator(inner, context, batch, id)
    return batchView(await requireBatch(inner, id))
  })
}

/**
 * Asks the settler to cancel a batch that has not landed: it frees the nonce with an empty
 * transaction, or fails the batch before a signature. The batch lands all the same where its own
 * transaction was faster.
 */
export async function cancelBatch(context: OperatorContext, id: string): Promise<SettlementBatch> {
  return write(context, async (sql) => {
    const batch = await requireBatch(sql, id)
    requireState(batch.status, ['open', 'submitted'])
    await saveCancelRequest(sql, id, context.now)
    await auditOperator(sql, context, batch, id)
    return batchView(batch)
  })
}

async function requireBatch(sql: TxSql, id: string): Promise<LockedBatch> {
  const batch = await lockBatch(sql, id)
  if (batch === null) throw new Refusal('resource_missing')
  return batch
}

async function requireReview(sql: TxSql, id: string): Promise<LockedBatch> {
  const batch = await requireBatch(sql, id)
  if (batch.review !== null) return batch
  const extra = { current_status: batch.status, allowed_from: ['failed'] }
  throw new Refusal('invalid_state', { message: 'The batch has no review.', extra })
}

async function retryAll(sql: TxSql, batchId: string, now: number): Promise<void> {
  for (const id of await listFailedPayments(sql, batchId)) {
    const payment = await lockAnyPayment(sql, id)
    if (payment !== null) await retryFailed(sql, payment, now + payment.clockOffsetMs)
  }
  await requeueRefunds(sql, batchId)
}

/** Begins every abandonment in one transaction, then the engine takes the captures back. */
async function abandonAll(
  context: OperatorContext,
  batchId: string,
  port: PaymentEnginePort,
): Promise<void> {
  const { sql, now, wait } = context
  const begun = await tx(
    sql,
    async (inner) => {
      await requireReview(inner, batchId)
      const ids = await listFailedPayments(inner, batchId)
      for (const id of ids) {
        const payment = await lockAnyPayment(inner, id)
        if (payment !== null) await beginAbandon(inner, payment, now)
      }
      return ids
    },
    { safeToRepeat: true, wait },
  )
  for (const id of begun) await finishRelease(sql, id, { port, now })
}

/** Refuses with 503 while the engine has not taken every capture back. */
async function requireAbandoned(sql: TxSql, batchId: string): Promise<void> {
  const [left] = await listFailedPayments(sql, batchId)
  if (left === undefined) return
  throw new Refusal('dependency_unavailable', {
    message: 'The abandonment is stored, but the engine has not confirmed it yet. Repeat the call.',
    extra: { resource_id: batchId },
  })
}
