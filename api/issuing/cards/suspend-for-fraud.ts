// Suspends cards that a fraud rule of the engine stopped. The engine already declines on them; this
// makes it visible.
import type { Card } from '../../../shared/schemas/card.ts'
import type { TxSql } from '../../database/transaction.ts'
import { CARD_MOVES } from './states.ts'
import { type StoppedCard, saveFraudSuspensions } from './store.ts'
import { cardView } from './view.ts'

export interface FraudSuspension {
  card: Card
  event: (typeof CARD_MOVES.suspend)['event']
}

/**
 * Suspends the cards; returns the suspended ones by card id, with the event that the caller
 * records. Chosen: a card that is no longer active stays as it is, without an event, so that the
 * same order may come again.
 */
export async function suspendForFraud(
  sql: TxSql,
  stopped: readonly StoppedCard[],
): Promise<Map<string, FraudSuspension>> {
  const { from, event } = CARD_MOVES.suspend
  const rows = await saveFraudSuspensions(sql, stopped, from)
  return new Map(rows.map((row) => [row.id, { card: cardView(row), event }]))
}
