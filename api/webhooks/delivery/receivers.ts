// Endpoints that get an event: every enabled one whose filter matches, locked until their
// deliveries are written.
import type { Lane } from '../../../shared/event-catalog.ts'
import type { TxSql } from '../../database/transaction.ts'

/** An event taken from the outbox. */
export interface TakenEvent {
  event_id: string
  tenant_id: string
  environment: string
  lane: Lane
  everyone_but: string | null
  only_endpoint: string | null
  recovery_id: string | null
}

/** An endpoint that gets an event. */
export interface Receiver {
  event_id: string
  endpoint_id: string
  tenant_id: string
  environment: string
  type: string
  lane: Lane
  recovery_id: string | null
  epoch: number
}

// The limit keeps each event a lookup of its own: joined, the planner reads all events of the
// tenant. The share lock delays a call that disables one of these endpoints until the deliveries
// are written: open deliveries of a disabled endpoint are held, and later events are missed, never
// both.
export async function receiversOf(
  sql: TxSql,
  taken: readonly TakenEvent[],
): Promise<readonly Receiver[]> {
  if (taken.length === 0) return []
  return sql<Receiver[]>`
    select ev.id as event_id, e.id as endpoint_id, e.tenant_id, e.environment, ev.type, taken.lane,
      taken.recovery_id, e.enabled_epoch as epoch
    from unnest(
      ${taken.map((event) => event.event_id)}::text[],
      ${taken.map((event) => event.lane)}::integer[],
      ${taken.map((event) => event.everyone_but ?? '')}::text[],
      ${taken.map((event) => event.only_endpoint ?? '')}::text[],
      ${taken.map((event) => event.recovery_id)}::text[]
    ) as taken (event_id, lane, everyone_but, only_endpoint, recovery_id)
    cross join lateral (
      select * from events where id = taken.event_id limit 1
    ) ev
    join webhook_endpoints e
      on e.tenant_id = ev.tenant_id and e.environment = ev.environment and e.status = 'enabled'
    where case
      when taken.only_endpoint <> '' then e.id = taken.only_endpoint
      when taken.everyone_but <> '' then e.id <> taken.everyone_but
      else e.event_types is null or ev.type = any (e.event_types)
    end
    order by e.id, taken.lane, ev.seq
    for share of e
  `
}
