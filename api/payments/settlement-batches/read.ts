// All reads of settlement batches.
import type { Page } from '../../../shared/schemas/list.ts'
import type { Payment } from '../../../shared/schemas/payment.ts'
import type { SettlementBatch } from '../../../shared/schemas/settlement-batch.ts'
import type { Context, OperatorContext } from '../../context.ts'
import { mapPage, type PageQuery } from '../../database/page.ts'
import { Refusal } from '../../http/refusal.ts'
import { readBatchPayments } from '../payments/index.ts'
import { type BatchFilters, findBatch, listBatches, listReviews } from './list-store.ts'
import { batchView } from './view.ts'

export async function readBatch({ sql, principal }: Context, id: string): Promise<SettlementBatch> {
  const batch = await findBatch(sql, principal, id)
  if (batch === null) throw new Refusal('resource_missing')
  return batchView(batch)
}

export async function readBatches(
  { sql, principal }: Context,
  query: PageQuery & BatchFilters,
): Promise<Page<SettlementBatch>> {
  return mapPage(await listBatches(sql, principal, query), batchView)
}

/** Failed batches of every tenant whose review is open. */
export async function readReviews(
  { sql }: OperatorContext,
  query: PageQuery,
): Promise<Page<SettlementBatch>> {
  return mapPage(await listReviews(sql, query), batchView)
}

/** Payments with a capture or refund in the batch, also where another batch tries it again. */
export async function readPaymentsOf(
  context: Context,
  id: string,
  query: PageQuery,
): Promise<Page<Payment>> {
  await readBatch(context, id)
  return readBatchPayments(context, id, query)
}
