// All reads of cardholders.
import type { Cardholder } from '../../../shared/schemas/cardholder.ts'
import type { Page } from '../../../shared/schemas/list.ts'
import type { Context } from '../../context.ts'
import { mapPage, type PageQuery } from '../../database/page.ts'
import { Refusal } from '../../http/refusal.ts'
import { type CardholderFilters, findCardholder, listCardholders } from './store.ts'
import { cardholderView } from './view.ts'

export async function readCardholder({ sql, principal }: Context, id: string): Promise<Cardholder> {
  const cardholder = await findCardholder(sql, principal, id)
  if (cardholder === null) throw new Refusal('resource_missing')
  return cardholderView(cardholder)
}

export async function readCardholders(
  { sql, principal }: Context,
  query: PageQuery & CardholderFilters,
): Promise<Page<Cardholder>> {
  return mapPage(await listCardholders(sql, principal, query), cardholderView)
}
