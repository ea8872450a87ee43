// Requirements on tenant and installation before anything of payments is made.
import type { Environment } from '../../shared/wire/config-records.ts'
import type { Owner } from '../context.ts'
import type { TxSql } from '../database/transaction.ts'
import { Refusal } from '../http/refusal.ts'
import { requireTenantFor } from '../platform/tenants/index.ts'
import type { ChainConfig, ChainConfigs } from './chain/chain-config.ts'

/** The chain of the environment; refuses with 503 chain_not_configured where there is none. */
export function requireChain(chains: ChainConfigs, environment: Environment): ChainConfig {
  const chain = chains[environment]
  if (chain === null) throw new Refusal('chain_not_configured')
  return chain
}

/**
 * Refuses with 403 a tenant that is suspended, and in live one without the entitlement. Chosen: the
 * sandbox is open to every tenant.
 */
export async function requirePayments(sql: TxSql, owner: Owner): Promise<void> {
  const { tenantId, environment } = owner
  await requireTenantFor(sql, tenantId, environment)
  if (environment === 'sandbox') return
  const [tenant] = await sql<{ entitled: boolean }[]>`
    select payments_entitled as entitled from tenants where id = ${tenantId}`
  if (tenant?.entitled !== true) throw new Refusal('feature_not_enabled')
}
