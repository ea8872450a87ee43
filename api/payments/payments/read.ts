// All reads of payments.
import type { Page } from '../../../shared/schemas/list.ts'
import type { Payment } from '../../../shared/schemas/payment.ts'
import type { Context } from '../../context.ts'
import { mapPage, type PageQuery } from '../../database/page.ts'
import { Refusal } from '../../http/refusal.ts'
import { findPayment, listPayments, type PaymentFilters } from './store.ts'
import { paymentView } from './view.ts'

export async function readPayment({ sql, principal }: Context, id: string): Promise<Payment> {
  const payment = await findPayment(sql, principal, id)
  if (payment === null) throw new Refusal('resource_missing')
  return paymentView(payment)
}

export async function readPayments(
  { sql, principal }: Context,
  query: PageQuery & PaymentFilters,
): Promise<Page<Payment>> {
  return mapPage(await listPayments(sql, principal, query), (row) => paymentView(row))
}

/** Payments of a settlement batch; the caller checked that the batch is the tenant's. */
export async function readBatchPayments(
  context: Context,
  batchId: string,
  query: PageQuery,
): Promise<Page<Payment>> {
  return readPayments(context, { ...query, settlement_batch_id: batchId })
}
