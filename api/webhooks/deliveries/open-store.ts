// The SQL about requested deliveries. The caller locks the endpoint.
import type { EpochMs } from '../../../shared/clock.ts'
import type { EventType } from '../../../shared/event-catalog.ts'
import type { DeliveryCause } from '../../../shared/schemas/webhook-delivery.ts'
import type { Owner } from '../../context.ts'
import type { SqlTag } from '../../database/pool.ts'
import type { TxSql } from '../../database/transaction.ts'
import type { EndpointRow } from '../endpoints/index.ts'
import { findDelivery } from './store.ts'
import type { DeliveryRow } from './view.ts'

export interface SentEvent {
  id: string
  seq: number
  type: EventType
}

/** Returns null if the owner has no such event, or its retention ended. */
export async function findSentEvent(
  sql: SqlTag,
  owner: Owner,
  id: string,
): Promise<SentEvent | null> {
  const [row] = await sql<SentEvent[]>`
    select id, seq, type from events
    where tenant_id = ${owner.tenantId} and environment = ${owner.environment} and id = ${id}`
  return row ?? null
}

/** Returns true while the event waits for fan-out to its endpoints. */
export async function isInLine(
  sql: SqlTag,
  owner: Owner,
  { id, seq }: SentEvent,
): Promise<boolean> {
  const rows = await sql`
    select from event_outbox
    where tenant_id = ${owner.tenantId} and environment = ${owner.environment} and lane = any ('{0,1}')
      and seq = ${seq} and event_id = ${id} and recovery_id is null
    limit 1`
  return rows.length > 0
}

export async function lockOpenDelivery(
  sql: TxSql,
  { eventId, endpointId }: { eventId: string; endpointId: string },
): Promise<{ id: string; leased: boolean } | null> {
  const [row] = await sql<{ id: string; leased: boolean }[]>`
    select id, lease_token is not null as leased from open_deliveries
    where event_id = ${eventId} and endpoint_id = ${endpointId} limit 1 for update`
  return row ?? null
}

/** Makes its next attempt due, ahead of bulk deliveries. */
export async function hastenDelivery(
  sql: TxSql,
  { id, now }: { id: string; now: EpochMs },
): Promise<void> {
  await sql`
    update open_deliveries set due_at = least(due_at, ${now}), lane = 0
    where id = ${id} and lease_token is null`
}

export interface OpenedDelivery {
  id: string
  eventId: string
  type: EventType
  cause: DeliveryCause
  /** Bytes of a body that is no event. */
  body: Buffer | null
  endpoint: EndpointRow
  /** Installation time. */
  now: EpochMs
}

/** The delivery is due at once, ahead of bulk deliveries. */
export async function openDelivery(
  sql: TxSql,
  owner: Owner,
  opened: OpenedDelivery,
): Promise<DeliveryRow> {
  const { id, eventId, type, cause, body, endpoint, now } = opened
  await sql`
    insert into open_deliveries (
      id, event_id, endpoint_id, tenant_id, environment, type, cause, epoch, due_at, created_at, body
    ) values (
      ${id}, ${eventId}, ${endpoint.id}, ${owner.tenantId}, ${owner.environment}, ${type}, ${cause},
      ${endpoint.epoch}, ${now}, ${now}, ${body}
    )`
  const row = await findDelivery(sql, owner, id)
  if (row === null) throw new Error('a delivery that was just made is there: ' + id)
  return row
}
