// What a tenant must be before something is made for it.
import type { Environment } from '../../../shared/wire/facts.ts'
import type { TxSql } from '../../database/transaction.ts'
import { Refusal } from '../../refuse.ts'
import { holdTenant } from './store.ts'
import { type TenantRow, tenantStatusOf } from './view.ts'

/**
 * The tenant, held until the transaction ends: whoever suspends it comes before or after. Refuses with 403 while it is
 * suspended. Chosen: its keys go on reading, tightening and answering disputes; only nothing new is made.
 */
export async function requireTenantNotSuspended(sql: TxSql, tenantId: string): Promise<TenantRow> {
  const tenant = await holdTenant(sql, tenantId)
  if (tenant === null) throw new Refusal('resource_missing')
  if (tenantStatusOf(tenant) === 'suspended') throw new Refusal('account_suspended')
  return tenant
}

/**
 * As above, and refuses with 403 where live is closed to the tenant: until its KYB is approved. For everything through which
 * it could act there.
 */
export async function requireTenantFor(
  sql: TxSql,
  tenantId: string,
  environment: Environment,
): Promise<TenantRow> {
  const tenant = await requireTenantNotSuspended(sql, tenantId)
  if (environment === 'live' && tenant.kybStatus !== 'approved')
    throw new Refusal('kyb_not_approved', { extra: { current_status: tenant.kybStatus } })
  return tenant
}
