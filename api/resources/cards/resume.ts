// Resumes a suspended card: it is active again. Spec 3.
import type { Card } from '../../../shared/schemas/card.ts'
import { changeConfiguration } from '../../configuration.ts'
import type { Context } from '../../context.ts'
import { moveCard } from './move.ts'

/**
 * Chosen: whoever may write may resume, whoever suspended the card: a tenant, its cardholder or a fraud rule, which goes on
 * counting. Resuming an active card changes nothing, records no event and waits for the engine again, as suspending does.
 * But never repeated by us: between two tries somebody else may have suspended the card.
 */
export async function resumeCard(context: Context, input: { cardId: string }): Promise<Card> {
  const { cardId } = input
  return changeConfiguration(context, (sql) =>
    moveCard(sql, context, { cardId, move: 'resume', reason: null }),
  )
}
