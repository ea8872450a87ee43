// An operator's word on a batch: its open review is resolved, or the batch is cancelled.
import { assert } from '../../../shared/assert.ts'
import type { ResolvedBatch, SettlementBatch } from '../../../shared/schemas/settlement-batch.ts'
import type { OperatorContext } from '../../context.ts'
import type { TxSql } from '../../database/transaction.ts'
import { Refusal } from '../../http/refusal.ts'
import { auditOperator } from '../../write/audit.ts'
import { requireState } from '../../write/move.ts'
import { write } from '../../write/write.ts'
import {
  beginAbandon,
  finishRelease,
  listAbandoned,
  listUndecided,
  lockAnyPayment,
  type PaymentEnginePort,
  type PaymentRow,
  requeueRefunds,
  resolveReviews,
  retryFailed,
} from '../payments/index.ts'
import { type LockedBatch, lockBatch, saveCancelRequest } from './outcome-store.ts'
import { batchView } from './view.ts'

type Undecided = ResolvedBatch['undecided_payments'][number]

/**
 * Tries every failed capture and refund of the batch again, or abandons the captures; refunds that
 * were given up stay failed then. Payments that cannot be decided on now are named, and the review
 * stays open for them. Refuses with 409 a batch without an open review, and where no payment can be
 * decided on. The job finishes abandonments where the engine is away.
 */
export async function resolveReview(
  context: OperatorContext,
  { id, resolution }: { id: string; resolution: 'retry' | 'abandon' },
  port: PaymentEnginePort,
): Promise<ResolvedBatch> {
  const { sql, now } = context
  const resolved = await write(context, async (inner) => {
    const batch = await requireOpenReview(inner, id)
    const undecided = await decideAll(inner, id, async (payment) => {
      if (resolution === 'abandon') await beginAbandon(inner, payment, now)
      else await retryFailed(inner, payment, now + payment.clockOffsetMs)
    })
    if (resolution === 'retry') await requeueRefunds(inner, id)
    await resolveReviews(inner, {
      batchIds: [id],
      resolution: resolution === 'retry' ? 'retried' : 'abandoned',
      now: now + batch.clockOffsetMs,
      whole: true,
    })
    await auditOperator(inner, context, batch, id)
    return { ...batchView(await requireBatch(inner, id)), undecided_payments: undecided }
  })
  for (const paymentId of await listAbandoned(sql, id))
    if (!(await finishRelease(sql, paymentId, { port, now }))) break
  return resolved
}

/** Decides on each payment; returns those that refuse it. Throws the refusal where all do. */
async function decideAll(
  sql: TxSql,
  batchId: string,
  decide: (payment: PaymentRow) => Promise<void>,
): Promise<Undecided[]> {
  const undecided: Undecided[] = []
  let decided = 0
  let refusal: Refusal | null = null
  for (const id of await listUndecided(sql, batchId)) {
    const payment = await lockAnyPayment(sql, id)
    assert(payment !== null, 'a payment does not vanish')
    try {
      await decide(payment)
      decided += 1
    } catch (error) {
      if (!(error instanceof Refusal)) throw error
      refusal ??= error
      undecided.push({ payment_id: id, code: error.code })
    }
  }
  if (refusal !== null && decided === 0) throw refusal
  return undecided
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

async function requireOpenReview(sql: TxSql, id: string): Promise<LockedBatch> {
  const batch = await requireBatch(sql, id)
  if (batch.review?.status === 'open') return batch
  const extra = { current_status: batch.review?.status ?? 'none', allowed_from: ['open'] }
  throw new Refusal('invalid_state', { message: 'The batch has no open review.', extra })
}
