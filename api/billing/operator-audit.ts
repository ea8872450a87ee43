// The row of an operator's change of billing in the tenant's audit log; write() adds the row of the
// operators' own log.
import type { OperatorContext, Owner } from '../context.ts'
import type { TxSql } from '../database/transaction.ts'
import { tenantTime } from '../platform/tenants/index.ts'
import { auditOperator } from '../write/audit.ts'

/** Call it last: the tenant's sequence of events is locked before its log. */
export async function auditOnTenant(
  sql: TxSql,
  context: OperatorContext,
  owner: Owner,
  resourceId: string,
): Promise<void> {
  const now = await tenantTime(sql, owner, context.now)
  await auditOperator(sql, { ...context, now }, owner, resourceId)
}
