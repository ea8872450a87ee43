// Records an event of a cardholder, with the cardholder as GET shows them at this moment.
import type { EpochMs } from '../../../shared/clock.ts'
import type { EventType } from '../../../shared/event-catalog.ts'
import type { Cardholder } from '../../../shared/schemas/cardholder.ts'
import type { Owner } from '../../context.ts'
import type { TxSql } from '../../database/transaction.ts'
import { recordEvent } from '../../webhooks/events/index.ts'

export interface CardholderEvent {
  type: EventType
  cardholder: Cardholder
  /** By the tenant's clock. */
  now: EpochMs
}

/** Records the event in the transaction of the change. */
export async function recordCardholderEvent(
  sql: TxSql,
  { tenantId, environment }: Owner,
  { type, cardholder, now }: CardholderEvent,
): Promise<void> {
  const data = { cardholder }
  await recordEvent(sql, { tenantId, environment, type, resourceId: cardholder.id, data, now })
}

/** Spec 6.2, cardholder.sanctions.alert. */
export async function recordAlert(
  sql: TxSql,
  owner: Owner,
  cardholder: Cardholder,
  now: EpochMs,
): Promise<void> {
  await recordCardholderEvent(sql, owner, { type: 'cardholder.sanctions.alert', cardholder, now })
}
