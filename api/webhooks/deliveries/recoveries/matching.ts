// Selects the events of a recovery, as conditions of a statement about events `e`. Open or queued
// events are excluded: they are sent anyway.
import type { EpochMs } from '../../../../shared/clock.ts'
import type { Recovered } from '../../../../shared/schemas/webhook-recovery.ts'
import type { Owner } from '../../../context.ts'
import type { Fragment } from '../../../database/page.ts'
import type { SqlTag } from '../../../database/pool.ts'
import { fixed, NOTHING } from '../../../database/static-fragments.ts'

export interface Wanted {
  owner: Owner
  endpoint: { id: string; eventTypes: readonly string[] | null; epoch: number }
  which: Recovered
  /** Null: all. */
  eventTypes: readonly string[] | null
  since: EpochMs
  until: EpochMs
  /** Present lead of the tenant's clock: it was never further ahead. */
  clockOffsetMs: number
}

/** Clocks of dispatchers and of the database differ by less. */
const CLOCK_SKEW_MS = 3_600_000

/**
 * Events created since then, and their deliveries, have no smaller id: the scan skips older days.
 */
export function earliestId(sql: SqlTag, prefix: 'evt' | 'dlv', wanted: Wanted): Fragment {
  const moment = Math.max(0, wanted.since - wanted.clockOffsetMs - CLOCK_SKEW_MS)
  return sql`id_floor(${prefix}, ${moment}::bigint)`
}

export function matching(sql: SqlTag, wanted: Wanted): Fragment {
  const { owner, endpoint } = wanted
  return sql`
    ${createdInRange(sql, wanted)} and ${BY_WHICH[wanted.which](sql, wanted)}
    and ${isNotSentAnyway(sql, owner, endpoint.id)}`
}

const BY_WHICH: { readonly [Which in Recovered]: (sql: SqlTag, wanted: Wanted) => Fragment } = {
  all: (sql, { endpoint }) => isFor(sql, endpoint),
  failed: (sql, wanted) => sql`exists (
    select from ended_deliveries d
    where d.event_id = e.id and d.endpoint_id = ${wanted.endpoint.id} and d.state <> 'succeeded'
      and d.id >= ${earliestId(sql, 'dlv', wanted)}
  )`,
  missed: (sql, wanted) => sql`
    ${isFor(sql, wanted.endpoint)} and ${cameInAbsence(sql, wanted.endpoint.id)}
    and ${isUnsent(sql, wanted.endpoint.id, earliestId(sql, 'dlv', wanted))}`,
}

function cameInAbsence(sql: SqlTag, endpointId: string): Fragment {
  return sql`exists (
    select from endpoint_absences a
    where a.endpoint_id = ${endpointId} and e.seq >= a.from_seq and (a.until_seq is null or e.seq <= a.until_seq)
  )`
}

/** Matches the range and the requested types. */
export function createdInRange(sql: SqlTag, { since, until, eventTypes }: Wanted): Fragment {
  const types = eventTypes === null ? NOTHING : sql`and e.type = any (${[...eventTypes]}::text[])`
  return sql`e.created_at between ${since} and ${until} ${types}`
}

/**
 * Matches events as fan-out does: by the filter, except that the notice of a disabled endpoint goes
 * to all others.
 */
export function isFor(
  sql: SqlTag,
  { id, eventTypes }: { id: string; eventTypes: readonly string[] | null },
): Fragment {
  const filter = eventTypes === null ? fixed`true` : sql`e.type = any (${[...eventTypes]}::text[])`
  return sql`case when e.type = 'webhook_endpoint.disabled' then e.resource_id <> ${id} else ${filter} end`
}

/** Matches events that were never sent to this endpoint. */
export function isUnsent(sql: SqlTag, endpointId: string, earliest: Fragment): Fragment {
  return sql`
    not exists (
      select from ended_deliveries d
      where d.event_id = e.id and d.endpoint_id = ${endpointId} and d.id >= ${earliest}
    )`
}

export function isNotSentAnyway(sql: SqlTag, owner: Owner, endpointId: string): Fragment {
  return sql`
    not exists (
      select from open_deliveries o where o.event_id = e.id and o.endpoint_id = ${endpointId}
    )
    and not exists (
      select from event_outbox line
      where line.tenant_id = ${owner.tenantId} and line.environment = ${owner.environment}
        and line.lane = any ('{0,1}') and line.seq = e.seq and line.event_id = e.id and line.recovery_id is null
    )`
}
