// Every SQL statement about API keys. Each names the owner, except the one that finds out whose
// grace is over.

import type { KeyRole, KeyScope } from '../../../shared/api-key.ts'
import { assert } from '../../../shared/assert.ts'
import type { EpochMs } from '../../../shared/clock.ts'
import type { KeyStatus } from '../../../shared/schemas/api-key.ts'
import type { Owner } from '../../context.ts'
import { type CreatedFilters, createdWithin } from '../../database/created-filter.ts'
import { dueByTenant } from '../../database/due.ts'
import { type Fragment, type PageQuery, type PageRows, readPage } from '../../database/page.ts'
import type { SqlTag } from '../../database/pool.ts'
import type { TxSql } from '../../database/transaction.ts'
import type { TenantFields } from '../../write/tenant-fields.ts'
import type { KeyRow } from './view.ts'

/** The columns of a KeyRow. */
function keyColumns(sql: SqlTag): Fragment {
  return sql`
    k.id, k.environment, k.name, k.role, k.scope, k.state as status, k.last4, k.cidrs,
    k.created_by as "createdBy", k.created_at as "createdAt", k.last_used_at as "lastUsedAt",
    k.last_used_ip as "lastUsedIp", k.revoke_at as "revokeAt", k.revoked_at as "revokedAt",
    k.expires_at as "expiresAt",
    k.external_id as "externalId", k.metadata,
    (
      select coalesce(jsonb_agg(jsonb_build_object(
        'origin', s.origin, 'firstAt', s.first_at, 'lastAt', s.last_at, 'count', s.count
      ) order by s.last_at desc, s.origin), '[]')
      from secret_key_sightings s where s.key_id = k.id
    ) as sightings`
}

export async function findKey(sql: SqlTag, owner: Owner, id: string): Promise<KeyRow | null> {
  const [row] = await sql<KeyRow[]>`
    select ${keyColumns(sql)} from api_keys k
    where k.tenant_id = ${owner.tenantId} and k.environment = ${owner.environment} and k.id = ${id}`
  return row ?? null
}

/**
 * Holds the key until the transaction ends; calls with it go on, and its last use waits to be
 * noted.
 */
export async function lockKey(sql: TxSql, owner: Owner, id: string): Promise<KeyRow | null> {
  const [row] = await sql<KeyRow[]>`
    select ${keyColumns(sql)} from api_keys k
    where k.tenant_id = ${owner.tenantId} and k.environment = ${owner.environment} and k.id = ${id}
    for no key update of k`
  return row ?? null
}

/**
 * True where an owner of the tenant has two ways to sign in: each passkey is one, password and
 * generator together are one.
 */
export async function hasSafeOwner(sql: SqlTag, { tenantId }: Owner): Promise<boolean> {
  const [row] = await sql`
    select from users u
    join identities i on i.id = u.identity_id and i.state = 'active'
    where u.tenant_id = ${tenantId} and u.role = 'owner' and u.state = 'active'
      and (select count(*) from passkeys p where p.identity_id = i.id)
        + (i.password_hash is not null and i.totp_sealed is not null)::int >= 2
    limit 1`
  return row !== undefined
}

export interface KeyFilters extends CreatedFilters {
  status?: KeyStatus
  role?: KeyRole
  external_id?: string
}

/** By id, which is the order of creation. */
export async function listKeys(
  sql: SqlTag,
  owner: Owner,
  query: PageQuery & KeyFilters,
): Promise<PageRows<KeyRow>> {
  const { status, role, external_id } = query
  return readPage<KeyRow>(sql, query, {
    list: 'api_keys',
    column: 'k.id',
    positionOf: ({ id }) => id,
    select: (range, ordered) => sql<KeyRow[]>`
      select ${keyColumns(sql)} from api_keys k
      where k.tenant_id = ${owner.tenantId} and k.environment = ${owner.environment}
        ${createdWithin(sql, query)}
        ${status === undefined ? sql`` : sql`and k.state = ${status}`}
        ${role === undefined ? sql`` : sql`and k.role = ${role}`}
        ${external_id === undefined ? sql`` : sql`and k.external_id = ${external_id}`}
        and ${range}
      ${ordered}`,
  })
}

export interface NewKey extends TenantFields {
  id: string
  name: string
  role: KeyRole
  scope: KeyScope
  /** SHA-256 of the secret, which itself is stored nowhere. */
  hash: Buffer
  last4: string
  cidrs: readonly string[]
  createdBy: string
  createdAt: EpochMs
  /** Null: the key has no end. */
  expiresAt: EpochMs | null
}

export async function insertKey(sql: TxSql, owner: Owner, key: NewKey): Promise<KeyRow> {
  await sql`
    insert into api_keys (id, tenant_id, environment, name, role, scope, hash, last4, cidrs,
      created_by, created_at, expires_at, external_id, metadata)
    values (${key.id}, ${owner.tenantId}, ${owner.environment}, ${key.name}, ${key.role},
      ${key.scope}, ${key.hash}, ${key.last4}, ${[...key.cidrs]}::text[],
      ${key.createdBy}, ${key.createdAt}, ${key.expiresAt}, ${key.externalId},
      ${JSON.stringify(key.metadata)}::text::jsonb)`
  return rereadKey(sql, owner, key.id)
}

export async function saveStatus(
  sql: TxSql,
  owner: Owner,
  change: { id: string; status: KeyStatus; revokeAt: EpochMs | null; revokedAt: EpochMs | null },
): Promise<KeyRow> {
  await sql`
    update api_keys
    set state = ${change.status}, revoke_at = ${change.revokeAt}, revoked_at = ${change.revokedAt}
    where tenant_id = ${owner.tenantId} and environment = ${owner.environment} and id = ${change.id}`
  return rereadKey(sql, owner, change.id)
}

/** Revokes every key of a tenant that is closed for good; nobody is left to be told. */
export async function revokeKeys(sql: TxSql, tenantId: string, now: EpochMs): Promise<void> {
  await sql`
    update api_keys set state = 'revoked', revoke_at = null,
      revoked_at = ${now} + clock_offset(tenant_id, environment)
    where tenant_id = ${tenantId} and state <> 'revoked'`
}

export async function saveChange(
  sql: TxSql,
  owner: Owner,
  change: TenantFields & Pick<KeyRow, 'id' | 'name' | 'cidrs' | 'expiresAt'>,
): Promise<KeyRow> {
  await sql`
    update api_keys set name = ${change.name}, cidrs = ${[...change.cidrs]}::text[],
      expires_at = ${change.expiresAt},
      external_id = ${change.externalId}, metadata = ${JSON.stringify(change.metadata)}::text::jsonb
    where tenant_id = ${owner.tenantId} and environment = ${owner.environment} and id = ${change.id}`
  return rereadKey(sql, owner, change.id)
}

async function rereadKey(sql: TxSql, owner: Owner, id: string): Promise<KeyRow> {
  const row = await findKey(sql, owner, id)
  assert(row !== null, 'a locked key does not vanish')
  return row
}

export interface DueKey extends Owner {
  id: string
  /** How far the owner's clock is ahead, in milliseconds. */
  clockOffsetMs: number
}

/**
 * Holds a key of whatever tenant whose grace or whose own end is over by that tenant's clock; null
 * where none is left.
 */
export async function lockDueKey(sql: TxSql, now: EpochMs): Promise<DueKey | null> {
  const [row] = await sql<DueKey[]>`
    select id, tenant_id as "tenantId", environment,
      clock_offset(tenant_id, environment) as "clockOffsetMs"
    from api_keys
    where state = 'pending' and ${dueByTenant(sql, 'revoke_at', now)}
      or state <> 'revoked' and expires_at is not null and ${dueByTenant(sql, 'expires_at', now)}
    order by least(revoke_at, expires_at)
    limit 1
    for no key update skip locked`
  return row ?? null
}
