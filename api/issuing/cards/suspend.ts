// Suspends a card: from the answer on, every authorization on it is declined. Spec 6.2,
// card.suspended.
import type { Card } from '../../../shared/schemas/card.ts'
import type { Context } from '../../context.ts'
import type { TxSql } from '../../database/transaction.ts'
import { writeConfirmed } from '../../write/write-confirmed.ts'
import { lockCardOf, moveCard } from './move.ts'
import type { Party } from './states.ts'
import { cardView } from './view.ts'

/** Spec 2.5: a suspended card has a reason. */
const REASON_DEFAULT = 'requested'

/**
 * Chosen: suspending a suspended card changes nothing, keeps the first reason, records no second
 * event and waits for the engine again, so that a call answered 503 can simply be repeated. Only
 * the tenant's own suspension replaces its cardholder's, which the cardholder could lift.
 */
export async function suspendCard(
  context: Context,
  input: { cardId: string; reason: string | null; by: Party },
): Promise<Card> {
  const { by } = input
  const reason = input.reason ?? REASON_DEFAULT
  const change = async (sql: TxSql) => {
    const card = await lockCardOf(sql, context.principal, input.cardId)
    if (card.status !== 'suspended')
      return moveCard(sql, context, card, { move: 'suspend', reason, by })
    if (by === 'cardholder' || card.suspendedBy !== 'cardholder') return cardView(card)
    return moveCard(sql, context, card, { move: 'take_over', reason, by })
  }
  return writeConfirmed(context, change, { safeToRepeat: true })
}
