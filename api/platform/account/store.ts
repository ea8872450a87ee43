// The SQL of what a tenant changes about itself; the room of tenants has the rest.
import type { TxSql } from '../../database/transaction.ts'

/**
 * The engine learns of it with the tenant's programs, and what is remembered about the tenant's
 * keys is forgotten.
 */
export async function savePin(sql: TxSql, tenantId: string, version: string): Promise<void> {
  await sql`update tenants set api_version = ${version} where id = ${tenantId}`
}
