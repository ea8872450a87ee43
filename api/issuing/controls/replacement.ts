// Passes the controls of a card on to its replacement: they bind without a break, under their ids,
// with their counts.
import type { Owner } from '../../context.ts'
import type { TxSql } from '../../database/transaction.ts'
import { compileSubject, moveToCard } from './store.ts'

/** The caller locks both cards. */
export async function handOnControls(
  sql: TxSql,
  owner: Owner,
  cards: { from: string; to: string },
): Promise<void> {
  await moveToCard(sql, owner, cards)
  for (const id of [cards.from, cards.to]) await compileSubject(sql, owner, { scope: 'card', id })
}
