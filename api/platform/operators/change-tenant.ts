// One change of a tenant by an operator: the function locks the tenant, changes it or leaves it as
// it is, writes the tenant's log, and returns the tenant.
import type { Tenant } from '../../../shared/schemas/tenant.ts'
import type { OperatorContext } from '../../context.ts'
import type { TxSql } from '../../database/transaction.ts'
import { Refusal } from '../../http/refusal.ts'
import { auditOperator, wholeTenant } from '../../write/audit.ts'
import { lockTenant, type TenantRow, tenantView } from '../tenants/index.ts'

/**
 * `change` returns the changed tenant, or the same row for no change. Refuses with 404 if the
 * tenant does not exist.
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
  if (changed !== tenant) await auditOperator(sql, context, wholeTenant(tenantId), tenantId)
  return tenantView(changed, context.now)
}
