// Every SQL statement about portal sessions. Each names the owner.
import type { Owner } from '../../context.ts'
import type { SqlTag } from '../../database/pool.ts'
import type { TxSql } from '../../database/transaction.ts'
import type { PortalSessionRow } from './view.ts'

export async function findSession(
  sql: SqlTag,
  owner: Owner,
  id: string,
): Promise<PortalSessionRow | null> {
  const [row] = await sql<PortalSessionRow[]>`
    select id, tenant_id as "tenantId", environment, return_url as "returnUrl",
      created_at as "createdAt"
    from billing_portal_sessions
    where tenant_id = ${owner.tenantId} and environment = ${owner.environment} and id = ${id}`
  return row ?? null
}

export async function insertSession(sql: TxSql, row: PortalSessionRow): Promise<void> {
  await sql`
    insert into billing_portal_sessions (id, tenant_id, environment, return_url, created_at)
    values (${row.id}, ${row.tenantId}, ${row.environment}, ${row.returnUrl}, ${row.createdAt})`
}
