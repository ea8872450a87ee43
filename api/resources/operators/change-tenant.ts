// One change of a tenant by an operator: locked, changed or left as it is, told to the tenant's log, shown as it is afterwards.
import type { Tenant } from '../../../shared/schemas/tenant.ts'
import type { OperatorContext } from '../../context.ts'
import type { TxSql } from '../../database/transaction.ts'
import { Refusal } from '../../refuse.ts'
import { lockTenant, type TenantRow, tenantView } from '../tenants/index.ts'
import { tellTenant, wholeTenant } from './audit.ts'

/**
 * `change` returns the tenant as it left it, the same row where there was nothing to change. Refuses with 404 where there is no
 * such tenant.
 */
export async function changeTenant(
  sql: TxSql,
  context: OperatorContext,
  tenantId: string,
  change: (tenant: TenantRow) => Promise<TenantRow>,
): Promise<Tenant> {
  const tenant = await lockTenant(sql, tenantId)
  if (tenant === null) throw new Refusal('resource_missing')
  const changed = await change(tenant)
  if (changed !== tenant) await tellTenant(sql, context, wholeTenant(tenantId), tenantId)
  return tenantView(changed, context.now)
}
