// Takes due deliveries in the shares of the rota: leases them, counts the attempt, and reads everything afresh that the
// attempt needs. An attempt is counted when it is claimed, never when it ends: a dispatcher killed between sending and
// recording has used one up, so that no receiver sees more than five in a cycle. What the killed one left is taken up by
// `recover`, which also says why that never disables an endpoint.

import { randomUUID } from 'node:crypto'
import type { EpochMs } from '../../shared/clock.ts'
import type { Sql } from '../database/pool.ts'
import type { ClaimedDelivery } from './delivery.ts'
import type { Share } from './rota.ts'

/** Longer than an attempt and its recording can take. Wall clock of the database, so dispatchers need not agree. */
export const LEASE_MS = 60_000
/** Endpoints looked at in one scan. */
const ENDPOINTS_MAX = 256

/** A claimed delivery before its secrets are opened. */
export interface LeasedDelivery extends Omit<ClaimedDelivery, 'secrets'> {
  /** Sealed, old first; null when the endpoint has none. */
  sealedSecrets: string[] | null
}

export interface ClaimInput {
  owner: string
  shares: readonly Share[]
  now: EpochMs
}

/**
 * Several dispatchers may claim at once: each row goes to one of them. The rows are named as an array: joined with `due`, of
 * whose size the planner knows nothing, the update reads the whole table, history included.
 */
export async function claimDeliveries(sql: Sql, input: ClaimInput): Promise<LeasedDelivery[]> {
  const { owner, shares, now } = input
  return sql<LeasedDelivery[]>`
    with due as (
      select row.id
      from unnest(
        ${shares.map(({ tenantId }) => tenantId)}::text[],
        ${shares.map(({ endpointId }) => endpointId)}::text[],
        ${shares.map(({ quota }) => quota)}::integer[]
      ) as share (tenant_id, endpoint_id, quota)
      join webhook_endpoints e on e.id = share.endpoint_id and e.status = 'enabled'
      cross join lateral (
        select d.id from deliveries d
        where d.tenant_id = share.tenant_id and d.endpoint_id = share.endpoint_id
          and d.state = 'pending' and d.lease_token is null and d.due_at <= ${now}
        order by d.due_at
        limit share.quota
        for update skip locked
      ) row
    ),
    leased as (
      update deliveries d set
        attempts = d.attempts + 1,
        lease_token = ${randomUUID()},
        lease_owner = ${owner},
        lease_until = (extract(epoch from clock_timestamp()) * 1000)::bigint + ${LEASE_MS}
      where d.id = any (array(select id from due))
      returning d.*
    )
    select
      d.id, d.event_id as "eventId", d.endpoint_id as "endpointId", d.tenant_id as "tenantId",
      d.environment, d.cycle, d.attempts as attempt, d.epoch, d.lease_token::text as "leaseToken",
      e.url, ev.body, ev.resource_id as "resourceId",
      (
        select array_agg(s.sealed order by s.slot) from webhook_secrets s
        where s.endpoint_id = d.endpoint_id and s.revoked_at is null
      ) as "sealedSecrets"
    from leased d
    join webhook_endpoints e on e.id = d.endpoint_id
    join events ev on ev.id = d.event_id
    order by d.due_at
  `
}

export interface DueEndpoint {
  tenantId: string
  endpointId: string
}

export interface DueScan {
  endpoints: readonly DueEndpoint[]
  /** Where the next scan starts; null at the end of the circle. */
  last: DueEndpoint | null
}

/** Endpoints with a due delivery, found by one index probe each: the cost does not grow with their backlogs. */
export async function findDueEndpoints(
  sql: Sql,
  after: DueEndpoint | null,
  now: EpochMs,
): Promise<DueScan> {
  const rows = await sql<(DueEndpoint & { due: boolean })[]>`
    with recursive head as (
      (
        select tenant_id, endpoint_id, due_at from deliveries
        where state = 'pending' and lease_token is null
          and (tenant_id, endpoint_id) > (${after?.tenantId ?? ''}, ${after?.endpointId ?? ''})
        order by tenant_id, endpoint_id, due_at limit 1
      )
      union all
      select next.* from head cross join lateral (
        select d.tenant_id, d.endpoint_id, d.due_at from deliveries d
        where d.state = 'pending' and d.lease_token is null
          and (d.tenant_id, d.endpoint_id) > (head.tenant_id, head.endpoint_id)
        order by d.tenant_id, d.endpoint_id, d.due_at limit 1
      ) next
    )
    select tenant_id as "tenantId", endpoint_id as "endpointId", due_at <= ${now} as due
    from head limit ${ENDPOINTS_MAX}
  `
  return {
    endpoints: rows.filter(({ due }) => due),
    last: rows.length === ENDPOINTS_MAX ? (rows.at(-1) ?? null) : null,
  }
}
