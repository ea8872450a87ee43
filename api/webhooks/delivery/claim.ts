// Takes due deliveries in the shares of the rota: leases them, counts the attempt, and reads afresh
// all data the attempt needs. An attempt is counted when it is claimed, never when it ends: a
// dispatcher killed between sending and recording has used one up, so that no receiver sees more
// than five in a cycle. `recover` takes up the leases of a killed dispatcher, and explains why that
// never disables an endpoint.

import { randomUUID } from 'node:crypto'
import type { EpochMs } from '../../../shared/clock.ts'
import type { Lane } from '../../../shared/event-catalog.ts'
import type { Sql, SqlTag } from '../../database/pool.ts'
import type { ClaimedDelivery } from './delivery.ts'
import type { Share } from './fair-scheduler.ts'
import type { Permit } from './pace.ts'

/**
 * Longer than an attempt and its recording can take. Wall clock of the database, so that
 * dispatchers need not agree.
 */
export const LEASE_MS = 60_000
/** Endpoint queues checked in one scan. */
const LINES_MAX = 256

/** A claimed delivery before its secrets are opened. */
export interface LeasedDelivery extends Omit<ClaimedDelivery, 'secrets' | 'body'> {
  /** As stored. Null: the event is no longer kept, so there is no body to send. */
  body: Buffer | null
  lane: Lane
  /** The delivery was tried before. */
  retry: boolean
  /** When the delivery was created from its event. */
  addressedAt: EpochMs
  dueAt: EpochMs
  permit: Permit
  /** Sealed, oldest first; null when the endpoint has none. */
  sealedSecrets: string[] | null
}

export interface ClaimInput {
  owner: string
  shares: readonly Share[]
  now: EpochMs
}

/**
 * Several dispatchers may claim at once: each row goes to one of them. The rows are passed as
 * arrays: joined with `due`, whose size the planner does not know, the update would read the whole
 * table. The arrays hold row addresses, since locked rows do not move, which saves a second index
 * scan; a row changed just before waits for the next claim. A delivery that was open while its
 * endpoint was disabled begins a fresh cycle in the endpoint's new epoch. Within a lane retries
 * come first, but are few; see the rota.
 */
export async function claimDeliveries(
  sql: SqlTag,
  input: ClaimInput,
): Promise<Omit<LeasedDelivery, 'permit'>[]> {
  const { owner, shares, now } = input
  return sql<Omit<LeasedDelivery, 'permit'>[]>`
    with due as (
      select row.place, row.renewed, row.retry, share.epoch
      from unnest(
        ${shares.map(({ endpointId }) => endpointId)}::text[],
        ${shares.map(({ quota }) => quota)}::integer[],
        ${shares.map(({ bulk }) => bulk)}::integer[],
        ${shares.map(({ retries }) => retries[0])}::integer[],
        ${shares.map(({ retries }) => retries[1])}::integer[]
      ) as asked (endpoint_id, quota, bulk, retries, bulk_retries)
      join webhook_endpoints e on e.id = asked.endpoint_id and e.status = 'enabled'
      cross join lateral (select asked.*, e.enabled_epoch as epoch) share
      cross join lateral (
        select line.* from (
          values (0, share.quota, share.retries), (1, share.bulk, share.bulk_retries)
        ) as lane (lane, most, retries)
        cross join lateral (
          select next.place, next.epoch < share.epoch as renewed, line.retry
          from (values (true, lane.retries), (false, lane.most)) as line (retry, most)
          cross join lateral (
            select d.ctid as place, d.epoch from open_deliveries d
            where d.endpoint_id = share.endpoint_id
              and d.lane = lane.lane and (d.attempts > 0) = line.retry
              and d.lease_token is null and d.due_at <= ${now}
            order by d.due_at
            limit line.most
            for update skip locked
          ) next
          limit lane.most
        ) line
        limit share.quota
      ) row
    ),
    leased as (
      update open_deliveries d set
        cycle = d.cycle + case when due.renewed then 1 else 0 end,
        attempts = case when due.renewed then 1 else d.attempts + 1 end,
        epoch = due.epoch,
        lease_token = ${randomUUID()},
        lease_owner = ${owner},
        lease_until = ${leaseUntil(sql)}
      from unnest(
        array(select place from due order by place), array(select renewed from due order by place),
        array(select retry from due order by place), array(select epoch from due order by place)
      ) as due (place, renewed, retry, epoch)
      where d.ctid = due.place
      returning d.*, due.retry
    )
    ${readLeased(sql)}
  `
}

/** Lease end of a delivery leased now. */
export function leaseUntil(sql: SqlTag) {
  return sql`(extract(epoch from clock_timestamp()) * 1000)::bigint + ${LEASE_MS}`
}

/** Columns that the attempts of `leased`, rows of the open deliveries, need. */
export function readLeased(sql: SqlTag) {
  return sql`
    select
      d.id, d.event_id as "eventId", d.endpoint_id as "endpointId", d.tenant_id as "tenantId",
      d.environment, d.cause, d.lane, d.retry, d.cycle, d.attempts as attempt, d.epoch,
      d.created_at as "addressedAt", d.due_at as "dueAt",
      d.last_status is null and (
        d.last_error is null or d.last_error = 'interrupted' and not exists (
          select from delivery_attempts a
          where a.delivery_id = d.id and a.error_class is distinct from 'interrupted'
        )
      ) as "isUntried",
      d.lease_token::text as "leaseToken", e.url, coalesce(d.body, ev.body) as body,
      coalesce(ev.resource_id, d.id) as "resourceId",
      (
        select array_agg(s.sealed order by s.slot) from webhook_secrets s
        where s.endpoint_id = d.endpoint_id and s.revoked_at is null
      ) as "sealedSecrets"
    from leased d
    join webhook_endpoints e on e.id = d.endpoint_id
    left join lateral (select body, resource_id from events where id = d.event_id limit 1) ev on true
    order by d.lane, d.due_at`
}

/** An endpoint for which something of the lane is due. */
export interface DueEndpoint {
  tenantId: string
  endpointId: string
  lane: Lane
}

/** The head of one of an endpoint's queues: per lane, the retries or the first attempts. */
export interface LineHead extends DueEndpoint {
  retry: boolean
}

export interface DueScan {
  endpoints: readonly (DueEndpoint & { dueAt: EpochMs })[]
  /** Start of the next scan; null at the end of the circle. */
  last: LineHead | null
}

/**
 * Finds endpoints with a due delivery by one index probe per queue: the cost does not grow with the
 * backlogs.
 */
export async function findDueEndpoints(
  sql: Sql,
  after: LineHead | null,
  now: EpochMs,
): Promise<DueScan> {
  const rows = await sql<(LineHead & { due: boolean; dueAt: EpochMs })[]>`
    with recursive head as (
      (
        select endpoint_id, lane, attempts > 0 as retry, due_at from open_deliveries
        where lease_token is null
          and (endpoint_id, lane, (attempts > 0)) > (
            ${after?.endpointId ?? ''}, ${after?.lane ?? -1}::smallint, ${after?.retry ?? true}::boolean
          )
        order by endpoint_id, lane, (attempts > 0), due_at limit 1
      )
      union all
      select next.* from head cross join lateral (
        select d.endpoint_id, d.lane, d.attempts > 0 as retry, d.due_at from open_deliveries d
        where d.lease_token is null
          and (d.endpoint_id, d.lane, (d.attempts > 0)) > (head.endpoint_id, head.lane, head.retry)
        order by d.endpoint_id, d.lane, (d.attempts > 0), d.due_at limit 1
      ) next
    )
    select e.tenant_id as "tenantId", head.endpoint_id as "endpointId", head.lane, head.retry,
      head.due_at as "dueAt", head.due_at <= ${now} and e.status = 'enabled' as due
    from (select * from head limit ${LINES_MAX}) head
    join webhook_endpoints e on e.id = head.endpoint_id
    order by head.endpoint_id, head.lane, head.retry
  `
  return {
    endpoints: rows.filter(({ due }) => due),
    last: rows.length === LINES_MAX ? (rows.at(-1) ?? null) : null,
  }
}
