// All reads of payment mandates.
import type { Page } from '../../../shared/schemas/list.ts'
import type { PaymentMandate } from '../../../shared/schemas/payment-mandate.ts'
import type { Context } from '../../context.ts'
import { mapPage, type PageQuery } from '../../database/page.ts'
import { Refusal } from '../../http/refusal.ts'
import { findMandate, listMandates, type MandateFilters } from './store.ts'
import { mandateView } from './view.ts'

export async function readMandate(
  { sql, principal, now }: Context,
  id: string,
): Promise<PaymentMandate> {
  const mandate = await findMandate(sql, principal, { id, now })
  if (mandate === null) throw new Refusal('resource_missing')
  return mandateView(mandate)
}

export async function readMandates(
  { sql, principal, now }: Context,
  query: PageQuery & MandateFilters,
): Promise<Page<PaymentMandate>> {
  return mapPage(await listMandates(sql, principal, { ...query, now }), (row) => mandateView(row))
}
