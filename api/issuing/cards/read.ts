// All reads of cards.
import type { Card } from '../../../shared/schemas/card.ts'
import type { Page } from '../../../shared/schemas/list.ts'
import type { Context } from '../../context.ts'
import { mapPage, type PageQuery } from '../../database/page.ts'
import { Refusal } from '../../http/refusal.ts'
import { type CardFilters, findCard, listCards } from './store.ts'
import { cardView } from './view.ts'

export async function readCard({ sql, principal }: Context, id: string): Promise<Card> {
  const card = await findCard(sql, principal, id)
  if (card === null) throw new Refusal('resource_missing')
  return cardView(card)
}

export async function readCards(
  { sql, principal }: Context,
  query: PageQuery & CardFilters,
): Promise<Page<Card>> {
  return mapPage(await listCards(sql, principal, query), cardView)
}
