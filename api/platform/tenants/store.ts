// Every SQL statement about tenants. Operators name a tenant by its id; all other callers have one
// by their key.
import { assert } from '../../../shared/assert.ts'
import type { EpochMs } from '../../../shared/clock.ts'
import type { SuspendedBy } from '../../../shared/schemas/program.ts'
import type { KybStatus } from '../../../shared/schemas/tenant.ts'
import type { Owner } from '../../context.ts'
import { type CreatedFilters, createdWithin } from '../../database/created-filter.ts'
import { type PageQuery, type PageRows, readPage } from '../../database/page.ts'
import type { SqlTag } from '../../database/pool.ts'
import type { TxSql } from '../../database/transaction.ts'
import type { TenantRow } from './view.ts'

function tenantColumns(sql: SqlTag) {
  return sql`
    id, name, legal_name as "legalName", country, api_version as "apiVersion",
    created_at as "createdAt", kyb_status as "kybStatus", kyb_reason as "kybReason",
    kyb_decided_at as "kybDecidedAt", suspended_by as "suspendedBy",
    suspend_reason as "suspendReason", suspended_at as "suspendedAt",
    realtime_entitled as "realtimeEntitled", payments_entitled as "paymentsEntitled",
    (
      select coalesce(jsonb_agg(to_jsonb(o) - 'tenant_id' order by o.environment), '[]')
      from rate_limit_overrides o where o.tenant_id = tenants.id
    ) as overrides`
}

export async function findTenant(sql: SqlTag, id: string): Promise<TenantRow | null> {
  const [row] = await sql<TenantRow[]>`select ${tenantColumns(sql)} from tenants where id = ${id}`
  return row ?? null
}

export interface TenantFilters extends CreatedFilters {
  kyb_status?: KybStatus
  status?: 'active' | 'suspended'
}

/** Lists by id, which is the order of creation. */
export async function listTenants(
  sql: SqlTag,
  query: PageQuery & TenantFilters,
): Promise<PageRows<TenantRow>> {
  const { kyb_status: kyb, status } = query
  return readPage<TenantRow>(sql, query, {
    list: 'tenants',
    column: 'id',
    positionOf: ({ id }) => id,
    select: (range, ordered) => sql<TenantRow[]>`
      select ${tenantColumns(sql)} from tenants
      where ${range}
        ${createdWithin(sql, query)}
        ${kyb === undefined ? sql`` : sql`and kyb_status = ${kyb}`}
        ${status === undefined ? sql`` : sql`and (suspended_at is not null) = ${status === 'suspended'}`}
      ${ordered}`,
  })
}

/** Locks the tenant until the transaction ends; foreign keys to it do not wait. */
export async function lockTenant(sql: TxSql, id: string): Promise<TenantRow | null> {
  const [row] = await sql<TenantRow[]>`
    select ${tenantColumns(sql)} from tenants where id = ${id} for no key update`
  return row ?? null
}

/**
 * Locks the tenant against changes until the transaction ends; other readers may hold the same
 * lock.
 */
export async function lockTenantOf(sql: TxSql, id: string): Promise<TenantRow | null> {
  const [row] = await sql<TenantRow[]>`
    select ${tenantColumns(sql)} from tenants where id = ${id} for share`
  return row ?? null
}

/** Inserts a tenant with its counters of both environments. */
export async function insertTenant(
  sql: TxSql,
  tenant: {
    id: string
    name: string
    legalName: string
    country: string
    apiVersion: string
    createdAt: EpochMs
  },
): Promise<TenantRow> {
  const { id, name, legalName, country, apiVersion, createdAt } = tenant
  const [row] = await sql<TenantRow[]>`
    insert into tenants (id, name, legal_name, country, api_version, created_at)
    values (${id}, ${name}, ${legalName}, ${country}, ${apiVersion}, ${createdAt})
    returning ${tenantColumns(sql)}`
  await sql`
    insert into tenant_sequences (tenant_id, environment)
    values (${id}, 'sandbox'), (${id}, 'live')`
  assert(row !== undefined, 'an insert returns its row')
  return row
}

export async function saveKyb(
  sql: TxSql,
  id: string,
  kyb: { status: KybStatus; reason: string | null; decidedAt: EpochMs | null },
): Promise<TenantRow> {
  const [row] = await sql<TenantRow[]>`
    update tenants set
      kyb_status = ${kyb.status}, kyb_reason = ${kyb.reason}, kyb_decided_at = ${kyb.decidedAt}
    where id = ${id} returning ${tenantColumns(sql)}`
  assert(row !== undefined, 'a locked tenant does not vanish')
  return row
}

export interface Suspension {
  by: SuspendedBy
  reason: string
  at: EpochMs
}

/** Null: the tenant is not suspended. */
export async function saveSuspension(
  sql: TxSql,
  id: string,
  suspension: Suspension | null,
): Promise<TenantRow> {
  const { by = null, reason = null, at = null } = suspension ?? {}
  const [row] = await sql<TenantRow[]>`
    update tenants set suspended_by = ${by}, suspend_reason = ${reason}, suspended_at = ${at}
    where id = ${id} returning ${tenantColumns(sql)}`
  assert(row !== undefined, 'a locked tenant does not vanish')
  return row
}

/** The statement updates the tenant's programs, and so the engine. */
export async function saveEntitlement(
  sql: TxSql,
  id: string,
  entitled: boolean,
): Promise<TenantRow> {
  const [row] = await sql<TenantRow[]>`
    update tenants set realtime_entitled = ${entitled}
    where id = ${id} returning ${tenantColumns(sql)}`
  assert(row !== undefined, 'a locked tenant does not vanish')
  return row
}

export async function savePaymentsEntitlement(
  sql: TxSql,
  id: string,
  entitled: boolean,
): Promise<TenantRow> {
  const [row] = await sql<TenantRow[]>`
    update tenants set payments_entitled = ${entitled}
    where id = ${id} returning ${tenantColumns(sql)}`
  assert(row !== undefined, 'a locked tenant does not vanish')
  return row
}

/** Multiplies the rate limits of its sandbox until a moment; replaces an earlier override. */
export async function saveOverride(
  sql: TxSql,
  id: string,
  override: { factor: number; expiresAt: EpochMs },
): Promise<TenantRow> {
  const { factor, expiresAt } = override
  await sql`
    insert into rate_limit_overrides (tenant_id, environment, factor, expires_at)
    values (${id}, 'sandbox', ${factor}, ${expiresAt})
    on conflict (tenant_id, environment) do update set
      factor = excluded.factor, expires_at = excluded.expires_at`
  return lockedAlready(sql, id)
}

export async function removeOverrides(sql: TxSql, id: string): Promise<TenantRow> {
  await sql`delete from rate_limit_overrides where tenant_id = ${id}`
  return lockedAlready(sql, id)
}

async function lockedAlready(sql: TxSql, id: string): Promise<TenantRow> {
  const row = await findTenant(sql, id)
  assert(row !== null, 'a locked tenant does not vanish')
  return row
}

/**
 * Returns the milliseconds that the tenant's clock of that environment is ahead of installation
 * time.
 */
async function clockOffset(sql: SqlTag, { tenantId, environment }: Owner): Promise<number> {
  if (environment === 'live') return 0
  const [row] = await sql<{ ahead: number }[]>`
    select clock_offset(${tenantId}, ${environment}) as ahead`
  return row?.ahead ?? 0
}

/**
 * Returns `now` of the installation on the tenant's sandbox clock; the same in live. Changes of a
 * tenant are recorded in tenant time, for any author.
 */
export async function tenantTime(sql: SqlTag, owner: Owner, now: EpochMs): Promise<EpochMs> {
  return now + (await clockOffset(sql, owner))
}
