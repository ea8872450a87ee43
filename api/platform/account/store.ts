// The SQL of a tenant's changes to itself; api/platform/tenants has the rest.
import type { TxSql } from '../../database/transaction.ts'

/**
 * The engine gets it with the tenant's programs, and cached data about the tenant's keys is
 * dropped.
 */
export async function savePin(sql: TxSql, tenantId: string, version: string): Promise<void> {
  await sql`update tenants set api_version = ${version} where id = ${tenantId}`
}
