// Suspends a card: from the answer on, every authorization on it is declined. Spec 6.2, card.suspended.
import type { Card } from '../../../shared/schemas/card.ts'
import { changeConfiguration } from '../../configuration.ts'
import type { Context } from '../../context.ts'
import type { TxSql } from '../../database/transaction.ts'
import { requireState } from '../../move.ts'
import { Refusal } from '../../refuse.ts'
import { recordEvent } from '../events/index.ts'
import { CARD_MOVES } from './states.ts'
import { lockCard, saveCardStatus } from './store.ts'
import { cardView } from './view.ts'

const { from, to, event } = CARD_MOVES.suspend

/**
 * Chosen: suspending a suspended card changes nothing, keeps the first reason, records no second event and waits for the
 * engine again, so that a call answered 503 can simply be repeated.
 */
export async function suspendCard(
  context: Context,
  input: { cardId: string; reason: string | null },
): Promise<Card> {
  const { principal, now } = context
  const change = async (sql: TxSql) => {
    const card = await lockCard(sql, principal, input.cardId)
    if (card === null) throw new Refusal('resource_missing')
    if (card.status === to) return cardView(card)

    requireState(card.status, from)
    const suspended = cardView(
      await saveCardStatus(sql, principal, {
        cardId: card.id,
        status: to,
        suspendReason: input.reason,
      }),
    )
    await recordEvent(sql, {
      tenantId: principal.tenantId,
      environment: principal.environment,
      type: event,
      resourceId: card.id,
      data: { card: suspended },
      now,
    })
    return suspended
  }
  return changeConfiguration(context, change, { safeToRepeat: true })
}
