// Hands the controls of a card on to the card that replaces it: they bind without a break, under their ids, with what they
// already counted.
import type { Owner } from '../../context.ts'
import type { TxSql } from '../../database/transaction.ts'
import { compileSubject, moveToCard } from './store.ts'

/** Both cards are held by the caller. */
export async function handOnControls(
  sql: TxSql,
  owner: Owner,
  cards: { from: string; to: string },
): Promise<void> {
  await moveToCard(sql, owner, cards)
  for (const id of [cards.from, cards.to]) await compileSubject(sql, owner, { scope: 'card', id })
}
