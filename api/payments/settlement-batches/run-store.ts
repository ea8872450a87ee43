// Statements of an operator's settlement run.
import type { Owner } from '../../context.ts'
import type { TxSql } from '../../database/transaction.ts'
import type { ClosingAccount } from './store.ts'

/** The tenant's settlement accounts, in the order of their ids; null for an unknown tenant. */
export async function listAccountsToClose(
  sql: TxSql,
  { tenantId, environment }: Owner,
): Promise<readonly (ClosingAccount & { clockOffsetMs: number })[] | null> {
  const [tenant] = await sql`select 1 from tenants where id = ${tenantId}`
  if (tenant === undefined) return null
  return sql<(ClosingAccount & { clockOffsetMs: number })[]>`
    select id, tenant_id as "tenantId", environment, chain_id as "chainId",
      clock_offset(tenant_id, environment) as "clockOffsetMs"
    from settlement_accounts
    where tenant_id = ${tenantId} and environment = ${environment} order by id`
}
