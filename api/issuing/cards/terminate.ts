// Terminates a card for good: from the answer on, every authorization on it is declined. Spec 3 and
// 6.2, card.terminated.
import type { Card } from '../../../shared/schemas/card.ts'
import type { TxSql } from '../../database/transaction.ts'
import { type PassContext, revokePassesOfCard } from '../../passes/passes/index.ts'
import { writeConfirmed } from '../../write/write-confirmed.ts'
import { deactivateTokensOfCard } from '../wallet-tokens/index.ts'
import { lockCardOf, moveCard } from './move.ts'
import { CARD_MOVES } from './states.ts'
import { type CardRow, cardView } from './view.ts'

/** Spec 2.5: a terminated card has a reason. */
const REASON_DEFAULT = 'requested'

/**
 * Chosen: its wallet tokens are deactivated and its passes revoked with it, and the network learns
 * the reasons `lost` and `stolen`. Terminating a terminated card changes nothing, keeps the first
 * reason and waits for the engine again.
 */
export async function terminateCard(
  context: PassContext,
  input: { cardId: string; reason: string | null },
): Promise<Card> {
  const change = async (sql: TxSql) => {
    const card = await lockCardOf(sql, context.principal, input.cardId)
    if (card.status === CARD_MOVES.terminate.to) return cardView(card)
    return endCard(sql, context, card, input.reason ?? REASON_DEFAULT)
  }
  return writeConfirmed(context, change, { safeToRepeat: true })
}

/** Runs in the caller's transaction, which has locked the card. */
export async function endCard(
  sql: TxSql,
  context: PassContext,
  card: CardRow,
  reason: string,
): Promise<Card> {
  await deactivateTokensOfCard(sql, context.principal, card.id)
  await revokePassesOfCard(sql, context, card.id)
  return moveCard(sql, context, card, { move: 'terminate', reason, by: 'tenant' })
}
