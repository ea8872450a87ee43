// Delivery rows that a test needs, as the dispatcher would have left them.
import type { SqlTag } from '../../api/database/pool.ts'

export interface SeededDelivery {
  id: string
  eventId: string
  endpointId: string
  /** `pending` is open: held while its endpoint is disabled. */
  state: 'pending' | 'succeeded' | 'failed' | 'canceled'
  attempts?: number
  dueAt?: number
  leaseToken?: string
}

/**
 * Adds a delivery of an existing event to an existing endpoint, in the endpoint's epoch and the
 * event's name.
 */
export async function addDelivery(sql: SqlTag, delivery: SeededDelivery): Promise<void> {
  const { id, eventId, endpointId, state } = delivery
  const of = sql`
    select e.id as event_id, w.id as endpoint_id, w.tenant_id, w.environment, e.type, w.enabled_epoch
    from events e, webhook_endpoints w where e.id = ${eventId} and w.id = ${endpointId}`
  if (state === 'pending') {
    await sql`
      insert into open_deliveries (id, event_id, endpoint_id, tenant_id, environment, type, epoch,
        attempts, due_at, lease_token, created_at)
      select ${id}, of.*, ${delivery.attempts ?? 0}, ${delivery.dueAt ?? 0},
        ${delivery.leaseToken ?? null}, 0
      from (${of}) of`
    return
  }
  await sql`
    insert into ended_deliveries (id, event_id, endpoint_id, tenant_id, environment, type, epoch,
      attempts, cause, lane, cycle, state, created_at, finished_at)
    select ${id}, of.*, ${delivery.attempts ?? 1}, 'event', 0, 1, ${state}, 0, 0 from (${of}) of`
}
