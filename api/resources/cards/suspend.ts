// Suspends a card: from the answer on, every authorization on it is declined. Spec 6.2, card.suspended.
import type { Card } from '../../../shared/schemas/card.ts'
import { changeConfiguration } from '../../configuration.ts'
import type { Context } from '../../context.ts'
import { moveCard } from './move.ts'

/**
 * Chosen: suspending a suspended card changes nothing, keeps the first reason, records no second event and waits for the
 * engine again, so that a call answered 503 can simply be repeated.
 */
export async function suspendCard(
  context: Context,
  input: { cardId: string; reason: string | null },
): Promise<Card> {
  const { cardId, reason } = input
  return changeConfiguration(
    context,
    (sql) => moveCard(sql, context, { cardId, move: 'suspend', reason }),
    { safeToRepeat: true },
  )
}
