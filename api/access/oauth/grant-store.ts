// Every SQL statement about the connections of a tenant, for the tenant itself. Each names the
// owner.
import type { EpochMs } from '../../../shared/clock.ts'
import type { OauthGrant } from '../../../shared/schemas/oauth.ts'
import type { Owner } from '../../context.ts'
import { type CreatedFilters, createdWithin } from '../../database/created-filter.ts'
import { type Fragment, type PageQuery, type PageRows, readPage } from '../../database/page.ts'
import type { SqlTag } from '../../database/pool.ts'
import type { TxSql } from '../../database/transaction.ts'
import type { ConnectionRow } from './grant-view.ts'

function connectionColumns(sql: SqlTag): Fragment {
  return sql`
    g.id, g.environment, g.scopes, g.user_id as "userId", g.created_at as "createdAt",
    (
      select case when u.removed_at is null then u.state else 'removed' end from users u
      where u.id = g.user_id
    ) as "userStatus",
    g.revoked_at as "revokedAt", g.reason, c.id as "clientId", c.name as "clientName"`
}

export async function findConnection(
  sql: SqlTag,
  { tenantId, environment }: Owner,
  id: string,
): Promise<ConnectionRow | null> {
  const [row] = await sql<ConnectionRow[]>`
    select ${connectionColumns(sql)} from oauth_grants g join oauth_clients c on c.id = g.client_id
    where g.tenant_id = ${tenantId} and g.environment = ${environment} and g.id = ${id}`
  return row ?? null
}

/** Ends the connection; a connection that has ended stays as it is. */
export async function endConnectionOf(
  sql: TxSql,
  { tenantId, environment }: Owner,
  { id, now }: { id: string; now: EpochMs },
): Promise<void> {
  await sql`
    update oauth_grants set revoked_at = ${now}, reason = 'tenant'
    where tenant_id = ${tenantId} and environment = ${environment} and id = ${id}
      and revoked_at is null`
}

/** Ends every connection of a tenant that is closed for good. */
export async function endConnections(sql: TxSql, tenantId: string, now: EpochMs): Promise<void> {
  await sql`
    update oauth_grants set reason = 'tenant',
      revoked_at = ${now} + clock_offset(tenant_id, environment)
    where tenant_id = ${tenantId} and revoked_at is null`
}

/** Lists by id, which is the order of creation. */
export async function listConnections(
  sql: SqlTag,
  { tenantId, environment }: Owner,
  query: PageQuery & CreatedFilters & { status?: OauthGrant['status'] },
): Promise<PageRows<ConnectionRow>> {
  const { status } = query
  return readPage<ConnectionRow>(sql, query, {
    list: 'oauth_grants',
    column: 'g.id',
    positionOf: ({ id }) => id,
    select: (range, ordered) => sql<ConnectionRow[]>`
      select ${connectionColumns(sql)}
      from (
        select * from oauth_grants
        where tenant_id = ${tenantId} and environment = ${environment}
          ${createdWithin(sql, query)}
      ) g
      join oauth_clients c on c.id = g.client_id
      where true
        ${status === undefined ? sql`` : sql`and (g.revoked_at is null) = ${status === 'active'}`}
        and ${range}
      ${ordered}`,
  })
}
