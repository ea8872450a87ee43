// Records an event of a card, with the card as GET shows it at this moment.
import type { EpochMs } from '../../../shared/clock.ts'
import type { EventType } from '../../../shared/event-catalog.ts'
import type { Card } from '../../../shared/schemas/card.ts'
import type { Owner } from '../../context.ts'
import type { TxSql } from '../../database/transaction.ts'
import { recordEvent } from '../../webhooks/events/index.ts'

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
