// One legal move of a card: locked, checked against the table, saved and announced, all in the caller's transaction.
import type { Card } from '../../../shared/schemas/card.ts'
import type { Context } from '../../context.ts'
import type { TxSql } from '../../database/transaction.ts'
import { requireState } from '../../move.ts'
import { Refusal } from '../../refuse.ts'
import { recordCardEvent } from './event.ts'
import { CARD_MOVES } from './states.ts'
import { lockCard, saveCardStatus } from './store.ts'
import { cardView } from './view.ts'

export interface CardMove {
  cardId: string
  move: keyof typeof CARD_MOVES
  /** Why it is suspended or terminated, where the caller said so. */
  reason: string | null
}

/** The card afterwards. One that is where the move leads stays as it is, without an event; an illegal move is refused (409). */
export async function moveCard(sql: TxSql, context: Context, wish: CardMove): Promise<Card> {
  const { principal } = context
  const { from, to, event } = CARD_MOVES[wish.move]
  const card = await lockCard(sql, principal, wish.cardId)
  if (card === null) throw new Refusal('resource_missing')
  if (card.status === to) return cardView(card)

  requireState(card.status, from)
  const moved = cardView(
    await saveCardStatus(sql, principal, {
      cardId: card.id,
      status: to,
      suspendReason: to === 'suspended' ? wish.reason : null,
      suspendedBy: to === 'suspended' ? 'tenant' : null,
      terminateReason: to === 'terminated' ? wish.reason : null,
    }),
  )
  await recordCardEvent(sql, context, event, moved)
  return moved
}
