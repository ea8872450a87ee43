// Requirements on a tenant before a resource is created for it.
import type { Environment } from '../../../shared/wire/config-records.ts'
import type { TxSql } from '../../database/transaction.ts'
import { Refusal } from '../../http/refusal.ts'
import { lockTenantOf } from './store.ts'
import { type TenantRow, tenantStatusOf } from './view.ts'

/**
 * Returns the tenant, locked until the transaction ends: a suspension comes before or after.
 * Refuses with 403 while the tenant is suspended. Chosen: its keys may still read, tighten and
 * answer disputes; only new resources are refused.
 */
export async function requireTenantNotSuspended(sql: TxSql, tenantId: string): Promise<TenantRow> {
  const tenant = await lockTenantOf(sql, tenantId)
  if (tenant === null) throw new Refusal('resource_missing')
  if (tenantStatusOf(tenant) === 'suspended') throw new Refusal('account_suspended')
  return tenant
}

/**
 * Like the function above, and refuses with 403 while live is closed to the tenant: until its KYB
 * is approved. For everything through which the tenant could act in live.
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
