// One legal move of a card: locked, checked against the table, saved and announced, all in the
// caller's transaction.

import type { EpochMs } from '../../../shared/clock.ts'
import type { EventType } from '../../../shared/event-catalog.ts'
import type { Card } from '../../../shared/schemas/card.ts'
import type { Context, Owner } from '../../context.ts'
import type { TxSql } from '../../database/transaction.ts'
import { Refusal } from '../../http/refusal.ts'
import { recordEvent } from '../../webhooks/events/index.ts'
import { requireState } from '../../write/move.ts'
import { CARD_MOVES, type Party } from './states.ts'
import { lockCard, saveCardStatus } from './store.ts'
import { type CardRow, cardView } from './view.ts'

/** The caller's card, locked until the transaction ends. */
export async function lockCardOf(sql: TxSql, owner: Owner, id: string): Promise<CardRow> {
  const card = await lockCard(sql, owner, id)
  if (card === null) throw new Refusal('resource_missing')
  return card
}

export interface CardMove {
  move: keyof typeof CARD_MOVES
  /** Reason of the suspension or termination; null for other moves. */
  reason: string | null
  /** The party that wants the suspension. */
  by: Party
}

/**
 * Returns the card as it was announced. Refuses (409) an illegal move. The caller locks the card.
 */
export async function moveCard(
  sql: TxSql,
  context: Context,
  card: CardRow,
  { move, reason, by }: CardMove,
): Promise<Card> {
  const { from, to, event } = CARD_MOVES[move]
  requireState(card.status, from)
  const moved = cardView(
    await saveCardStatus(sql, context.principal, {
      cardId: card.id,
      status: to,
      suspendReason: to === 'suspended' ? reason : null,
      suspendedBy: to === 'suspended' ? by : null,
      terminateReason: to === 'terminated' ? reason : null,
      loss: to === 'terminated' ? lossOf(reason) : null,
    }),
  )
  await recordCardEvent(sql, context, event, moved)
  return moved
}

/**
 * Chosen: only a terminated card is reported to the network as lost or stolen. Both codes mean
 * never again, and a suspended card may return: a merchant who was told never would not learn it.
 */
function lossOf(reason: string | null): 'lost' | 'stolen' | null {
  return reason === 'lost' || reason === 'stolen' ? reason : null
}

/** Owner of the card, and the time by their clock. */
export interface CardWorld {
  principal: Owner
  now: EpochMs
}

/** Records the event in the transaction of the change. */
export async function recordCardEvent(
  sql: TxSql,
  { principal, now }: CardWorld,
  type: EventType,
  card: Card,
): Promise<void> {
  const { tenantId, environment } = principal
  await recordEvent(sql, { tenantId, environment, type, resourceId: card.id, data: { card }, now })
}
