// Every SQL statement about recoveries, except the pump's. Each names the owner.
import { assert } from '../../../../shared/assert.ts'
import type { EpochMs } from '../../../../shared/clock.ts'
import type { Owner } from '../../../context.ts'
import { type Fragment, type PageQuery, type PageRows, readPage } from '../../../database/page.ts'
import type { SqlTag } from '../../../database/pool.ts'
import type { TxSql } from '../../../database/transaction.ts'
import type { TenantFields } from '../../../write/tenant-fields.ts'
import { createdInRange, earliestId, matching, type Wanted } from './matching.ts'
import type { RecoveryRow } from './view.ts'

function recoveryColumns(sql: SqlTag): Fragment {
  return sql`
    id, environment, endpoint_id as "endpointId", which, event_types as "eventTypes", since_at as since,
    until_at as until, status, cancel_reason as "cancelReason", matched, created_at as "createdAt",
    finished_at as "finishedAt", external_id as "externalId", metadata`
}

export interface WhichRecovery {
  endpointId: string
  id: string
}

export async function findRecovery(
  sql: SqlTag,
  owner: Owner,
  { endpointId, id }: WhichRecovery,
): Promise<RecoveryRow | null> {
  const [row] = await sql<RecoveryRow[]>`
    select ${recoveryColumns(sql)} from recoveries
    where tenant_id = ${owner.tenantId} and environment = ${owner.environment}
      and endpoint_id = ${endpointId} and id = ${id}`
  return row ?? null
}

/** Lists by id, which is the order of creation. */
export async function listRecoveries(
  sql: SqlTag,
  owner: Owner,
  query: PageQuery & { endpointId: string },
): Promise<PageRows<RecoveryRow>> {
  return readPage<RecoveryRow>(sql, query, {
    list: 'recoveries',
    column: 'id',
    positionOf: ({ id }) => id,
    select: (range, ordered) => sql<RecoveryRow[]>`
      select ${recoveryColumns(sql)} from recoveries
      where tenant_id = ${owner.tenantId} and environment = ${owner.environment}
        and endpoint_id = ${query.endpointId} and ${range}
      ${ordered}`,
  })
}

/** Returns the running recovery of an endpoint, if any. The caller locks the endpoint. */
export async function findRunning(
  sql: TxSql,
  owner: Owner,
  endpointId: string,
): Promise<string | null> {
  const [row] = await sql<{ id: string }[]>`
    select id from recoveries
    where tenant_id = ${owner.tenantId} and environment = ${owner.environment}
      and endpoint_id = ${endpointId} and status = 'running'`
  return row?.id ?? null
}

export interface NewRecovery {
  id: string
  wanted: Wanted
  tenantFields: TenantFields
  now: EpochMs
}

/** The recovery covers the events present now: later events are sent anyway. */
export async function insertRecovery(sql: TxSql, made: NewRecovery): Promise<RecoveryRow> {
  const { id, wanted, tenantFields, now } = made
  const { owner, endpoint, which, eventTypes, since, until } = wanted
  const [row] = await sql<RecoveryRow[]>`
    insert into recoveries (
      id, endpoint_id, tenant_id, environment, which, event_types, since_at, until_at, cursor_seq, until_seq, epoch,
      created_at, external_id, metadata
    ) values (
      ${id}, ${endpoint.id}, ${owner.tenantId}, ${owner.environment}, ${which},
      ${eventTypes === null ? null : [...eventTypes]}::text[], ${since}, ${until}, 0,
      coalesce((
        select event_seq from tenant_sequences
        where tenant_id = ${owner.tenantId} and environment = ${owner.environment}
      ), 0),
      ${endpoint.epoch}, ${now}, ${tenantFields.externalId}, ${JSON.stringify(tenantFields.metadata)}::text::jsonb
    )
    returning ${recoveryColumns(sql)}`
  assert(row !== undefined, 'an insert returns its row')
  return row
}

/** Locks the recovery until the transaction ends: no event is queued for it meanwhile. */
export async function lockRecovery(
  sql: TxSql,
  owner: Owner,
  which: WhichRecovery,
): Promise<RecoveryRow | null> {
  const [locked] = await sql<{ id: string }[]>`
    select id from recoveries
    where tenant_id = ${owner.tenantId} and environment = ${owner.environment}
      and endpoint_id = ${which.endpointId} and id = ${which.id}
    for update`
  return locked === undefined ? null : findRecovery(sql, owner, which)
}

export interface FinishedRecovery {
  id: string
  status: 'completed' | 'canceled'
  cancelReason: RecoveryRow['cancelReason']
  /** Tenant time. */
  now: EpochMs
}

/** Events of the recovery that are still queued are dropped. */
export async function finishRecovery(sql: TxSql, finished: FinishedRecovery): Promise<void> {
  const { id, status, cancelReason, now } = finished
  await sql`delete from event_outbox where recovery_id = ${id}`
  await sql`
    update recoveries set status = ${status}, cancel_reason = ${cancelReason}, finished_at = ${now}
    where id = ${id}`
}

/** Events of a dry run: limit of the count, and of the events read. */
const COUNTED_MAX = 10_000
const LOOKED_AT_MAX = 2 * COUNTED_MAX

/** Returns the number of events that a recovery would send. `atLeast`: more are possible. */
export async function countWanted(
  sql: SqlTag,
  wanted: Wanted,
): Promise<{ matched: number; atLeast: boolean }> {
  const [row] = await sql<{ matched: number; seen: number }[]>`
    with seen as materialized (${candidates(sql, wanted)}),
    matched as (select 1 from seen e where ${matching(sql, wanted)} limit ${COUNTED_MAX + 1})
    select (select count(*) from matched) as matched, (select count(*) from seen) as seen`
  const { matched = 0, seen = 0 } = row ?? {}
  return {
    matched: Math.min(matched, COUNTED_MAX),
    atLeast: matched > COUNTED_MAX || seen > LOOKED_AT_MAX,
  }
}

/** Selects a superset of the matching events with an index. */
function candidates(sql: SqlTag, wanted: Wanted): Fragment {
  const { owner, endpoint, which } = wanted
  const columns = sql`e.id, e.seq, e.type, e.resource_id, e.created_at`
  const inRange = sql`
    e.tenant_id = ${owner.tenantId} and e.environment = ${owner.environment}
    and e.id >= ${earliestId(sql, 'evt', wanted)} and ${createdInRange(sql, wanted)}`
  if (which === 'failed')
    return sql`
      select ${columns} from (
        select event_id from ended_deliveries
        where tenant_id = ${owner.tenantId} and environment = ${owner.environment}
          and state in ('failed', 'canceled') and state <> 'succeeded' and endpoint_id = ${endpoint.id}
          and id >= ${earliestId(sql, 'dlv', wanted)}
        limit ${LOOKED_AT_MAX + 1}
      ) d cross join lateral (select * from events where id = d.event_id limit 1) e`
  if (which === 'missed')
    return sql`
      select distinct ${columns} from endpoint_absences a cross join lateral (
        select * from events e
        where ${inRange} and e.seq >= a.from_seq and (a.until_seq is null or e.seq <= a.until_seq)
        order by e.seq limit ${LOOKED_AT_MAX + 1}
      ) e
      where a.endpoint_id = ${endpoint.id}`
  return sql`
    select ${columns} from events e where ${inRange} order by e.seq limit ${LOOKED_AT_MAX + 1}`
}
