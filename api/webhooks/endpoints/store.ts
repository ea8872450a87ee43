// Every SQL statement about webhook endpoints themselves. Each names the owner.
import { assert } from '../../../shared/assert.ts'
import type { EpochMs } from '../../../shared/clock.ts'
import type { Owner } from '../../context.ts'
import { type CreatedFilters, createdWithin } from '../../database/created-filter.ts'
import { type PageQuery, type PageRows, readPage } from '../../database/page.ts'
import type { SqlTag } from '../../database/pool.ts'
import type { TxSql } from '../../database/transaction.ts'
import type { TenantFields } from '../../write/tenant-fields.ts'
import { insertSecret, type NewSecret } from './secret-store.ts'
import { beginSweep } from './sweep-store.ts'
import type { EndpointRow, EndpointStatus } from './view.ts'

function endpointColumns(sql: SqlTag) {
  return sql`
    webhook_endpoints.id, environment, url, description, event_types as "eventTypes", status,
    enabled_epoch as epoch, disabled_reason as "disabledReason", disabled_at as "disabledAt", is_realtime as "isRealtime", created_at as "createdAt",
    external_id as "externalId", metadata,
    (
      select coalesce(jsonb_agg(
        jsonb_build_object('id', s.id, 'createdAt', s.created_at, 'expiresAt', s.expires_at) order by s.slot
      ), '[]')
      from webhook_secrets s
      where s.endpoint_id = webhook_endpoints.id and s.revoked_at is null
    ) as secrets`
}

export async function findEndpoint(
  sql: SqlTag,
  owner: Owner,
  id: string,
): Promise<EndpointRow | null> {
  const [row] = await sql<EndpointRow[]>`
    select ${endpointColumns(sql)} from webhook_endpoints
    where tenant_id = ${owner.tenantId} and environment = ${owner.environment} and id = ${id}
      and deleted_at is null`
  return row ?? null
}

export interface EndpointFilters extends CreatedFilters {
  external_id?: string
}

/** Lists by id, which is the order of creation. */
export async function listEndpoints(
  sql: SqlTag,
  owner: Owner,
  query: PageQuery & EndpointFilters,
): Promise<PageRows<EndpointRow>> {
  const { external_id } = query
  return readPage<EndpointRow>(sql, query, {
    list: 'webhook_endpoints',
    column: 'id',
    positionOf: ({ id }) => id,
    select: (range, ordered) => sql<EndpointRow[]>`
      select ${endpointColumns(sql)} from webhook_endpoints
      where tenant_id = ${owner.tenantId} and environment = ${owner.environment}
        and deleted_at is null
        ${createdWithin(sql, query)}
        ${external_id === undefined ? sql`` : sql`and external_id = ${external_id}`}
        and ${range}
      ${ordered}`,
  })
}

/** Locks the endpoint until the transaction ends; foreign keys to it do not wait. */
export async function lockEndpoint(
  sql: TxSql,
  owner: Owner,
  id: string,
): Promise<EndpointRow | null> {
  const [locked] = await sql<{ id: string }[]>`
    select id from webhook_endpoints
    where tenant_id = ${owner.tenantId} and environment = ${owner.environment} and id = ${id}
    for no key update`
  // The read follows the lock, so it sees a rival's commit, secrets included.
  return locked === undefined ? null : findEndpoint(sql, owner, locked.id)
}

export interface EndpointChange {
  url: string
  status: EndpointStatus
  description: string
  eventTypes: readonly string[] | null
  tenantFields: TenantFields
}

/**
 * A status that changes to enabled opens a new epoch: verdicts on attempts of the one before count
 * no longer. A status that changes to disabled was paused by the tenant, at `now` of the tenant's
 * clock.
 */
export async function saveEndpoint(
  sql: TxSql,
  owner: Owner,
  { endpointId, change, now }: { endpointId: string; change: EndpointChange; now: EpochMs },
): Promise<EndpointRow> {
  const { eventTypes, tenantFields } = change
  const [row] = await sql<EndpointRow[]>`
    update webhook_endpoints set
      url = ${change.url},
      status = ${change.status},
      description = ${change.description},
      event_types = ${eventTypes === null ? null : [...eventTypes]}::text[],
      external_id = ${tenantFields.externalId},
      metadata = ${JSON.stringify(tenantFields.metadata)}::text::jsonb,
      enabled_epoch = enabled_epoch
        + case when status = 'disabled' and ${change.status} = 'enabled' then 1 else 0 end,
      disabled_reason = case
        when ${change.status} = 'enabled' then null
        when status = 'enabled' then 'paused'
        else disabled_reason end,
      disabled_at = case
        when ${change.status} = 'enabled' then null
        when status = 'enabled' then ${now}::bigint
        else disabled_at end
    where tenant_id = ${owner.tenantId} and environment = ${owner.environment}
      and id = ${endpointId}
    returning ${endpointColumns(sql)}`
  assert(row !== undefined, 'a locked endpoint does not vanish')
  return row
}

export interface NewEndpoint extends Omit<EndpointChange, 'status'> {
  id: string
  now: EpochMs
  secret: NewSecret
}

/** Returns null if the owner has `most` endpoints already. */
export async function insertEndpoint(
  sql: TxSql,
  owner: Owner,
  { endpoint, most }: { endpoint: NewEndpoint; most: number },
): Promise<EndpointRow | null> {
  const { tenantId, environment } = owner
  const { id, url, description, eventTypes, tenantFields, now, secret } = endpoint
  // The lock makes rivals count one after the other.
  await sql`select pg_advisory_xact_lock(hashtextextended(${'endpoints ' + tenantId + environment}, 0))`
  const [held] = await sql<{ count: number }[]>`
    select count(*) from webhook_endpoints
    where tenant_id = ${tenantId} and environment = ${environment} and deleted_at is null`
  if ((held?.count ?? 0) >= most) return null
  await sql`
    insert into webhook_endpoints (id, tenant_id, environment, url, description, event_types,
      external_id, metadata, created_at)
    values (${id}, ${tenantId}, ${environment}, ${url}, ${description},
      ${eventTypes === null ? null : [...eventTypes]}::text[], ${tenantFields.externalId},
      ${JSON.stringify(tenantFields.metadata)}::text::jsonb, ${now})`
  await insertSecret(sql, { endpointId: id, slot: 0, secret, now })
  return rereadEndpoint(sql, owner, id)
}

/**
 * Marks the endpoint as deleted: it is no longer shown, asked or sent to; undelivered events are
 * never sent.
 */
export async function markDeleted(
  sql: TxSql,
  owner: Owner & { clockOffsetMs: number },
  deleted: { endpointId: string; now: EpochMs },
): Promise<void> {
  const { endpointId, now } = deleted
  const { clockOffsetMs } = owner
  await sql`
    update programs set endpoint_id = null
    where tenant_id = ${owner.tenantId} and environment = ${owner.environment}
      and endpoint_id = ${endpointId}`
  await sql`
    update webhook_endpoints set deleted_at = ${now}, status = 'disabled', disabled_reason = 'deleted',
      is_realtime = false, external_id = null
    where tenant_id = ${owner.tenantId} and environment = ${owner.environment}
      and id = ${endpointId}`
  await sql`
    update webhook_secrets set revoked_at = ${now}
    where endpoint_id = ${endpointId} and revoked_at is null`
  await beginSweep(sql, { endpointId, work: 'cancel', at: now - clockOffsetMs })
}

/** Returns the endpoint after the transaction's own changes. */
export async function rereadEndpoint(sql: TxSql, owner: Owner, id: string): Promise<EndpointRow> {
  const row = await findEndpoint(sql, owner, id)
  assert(row !== null, 'a locked endpoint does not vanish')
  return row
}

/**
 * Returns whether the tenant has real-time authorization; locks the tenant until the transaction
 * ends.
 */
export async function lockEntitlement(
  sql: TxSql,
  { tenantId, environment }: Owner,
): Promise<boolean> {
  const [row] = await sql<{ entitled: boolean }[]>`
    select realtime_allowed(id, ${environment}) as entitled
    from tenants where id = ${tenantId} for no key update`
  return row?.entitled ?? false
}

/** Makes the endpoint the real-time endpoint of every program of the owner. */
export async function saveRealtime(sql: TxSql, owner: Owner, endpointId: string): Promise<void> {
  const { tenantId, environment } = owner
  await sql`
    update webhook_endpoints set is_realtime = false
    where tenant_id = ${tenantId} and environment = ${environment} and is_realtime`
  await sql`
    update webhook_endpoints set is_realtime = true
    where tenant_id = ${tenantId} and environment = ${environment} and id = ${endpointId}`
  await sql`
    update programs set endpoint_id = ${endpointId}
    where tenant_id = ${tenantId} and environment = ${environment}
      and endpoint_id is distinct from ${endpointId}`
}

/**
 * Notes that the paused endpoint misses events from the first one that is not fanned out yet. `now`
 * is the installation's. The endpoint is locked and was enabled.
 */
export async function beginAbsence(
  sql: TxSql,
  owner: Owner,
  paused: { endpointId: string; now: EpochMs },
): Promise<void> {
  const { tenantId, environment } = owner
  const { endpointId, now } = paused
  await sql`
    insert into endpoint_absences (endpoint_id, from_seq, from_at, reason)
    select ${endpointId}, coalesce(
      (
        select min(seq) from event_outbox
        where tenant_id = ${tenantId} and environment = ${environment} and recovery_id is null
      ),
      (
        select event_seq + 1 from tenant_sequences
        where tenant_id = ${tenantId} and environment = ${environment}
      ), 1
    ), ${now}, 'paused'`
}

/**
 * Open deliveries begin a fresh cycle in the endpoint's new epoch, at once, and the absence ends
 * with the latest event. `now` is installation time.
 */
export async function resumeDeliveries(
  sql: TxSql,
  owner: Owner,
  resumed: { endpointId: string; now: EpochMs },
): Promise<void> {
  const { tenantId, environment } = owner
  const { endpointId, now } = resumed
  // The lock lasts until the endpoint is seen enabled: an event in between would go to other
  // endpoints only, and no list of missed events would have it.
  const [latest] = await sql<{ seq: number }[]>`
    select event_seq as seq from tenant_sequences
    where tenant_id = ${tenantId} and environment = ${environment} for share`
  await sql`
    update endpoint_absences set until_at = ${now}, until_seq = ${latest?.seq ?? 0}
    where endpoint_id = ${endpointId} and until_seq is null`
  await beginSweep(sql, { endpointId, work: 'resume', at: now })
}
