// Resumes a suspended card: it is active again. Spec 3.
import type { Card } from '../../../shared/schemas/card.ts'
import { changeConfiguration } from '../../configuration.ts'
import type { Context } from '../../context.ts'
import { requireState } from '../../move.ts'
import { Refusal } from '../../refuse.ts'
import { recordEvent } from '../events/index.ts'
import { CARD_MOVES } from './states.ts'
import { lockCard, saveCardStatus } from './store.ts'
import { cardView } from './view.ts'

const { from, to, event } = CARD_MOVES.resume

/**
 * Chosen: resuming an active card changes nothing, records no event and waits for the engine again, as suspending does. But
 * never repeated by us: between two tries somebody else may have suspended the card.
 */
export async function resumeCard(context: Context, input: { cardId: string }): Promise<Card> {
  const { principal, now } = context
  return changeConfiguration(context, async (sql) => {
    const card = await lockCard(sql, principal, input.cardId)
    if (card === null) throw new Refusal('resource_missing')
    if (card.status === to) return cardView(card)

    requireState(card.status, from)
    const resumed = cardView(
      await saveCardStatus(sql, principal, { cardId: card.id, status: to, suspendReason: null }),
    )
    await recordEvent(sql, {
      tenantId: principal.tenantId,
      environment: principal.environment,
      type: event,
      resourceId: card.id,
      data: { card: resumed },
      now,
    })
    return resumed
  })
}
