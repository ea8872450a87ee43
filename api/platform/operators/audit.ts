// An operator's action on a tenant is in the tenant's audit log too, so the tenant sees each action
// and its author. The operators' own log covers all their actions and is written with every call.
import type { OperatorContext, Owner } from '../../context.ts'
import type { TxSql } from '../../database/transaction.ts'
import { appendAudit } from '../../write/audit.ts'

/**
 * Call this function last in the transaction of the action: the tenant's sequence of events is
 * locked before its log.
 */
export async function tellTenant(
  sql: TxSql,
  context: OperatorContext,
  { tenantId, environment }: Owner,
  resourceId: string,
): Promise<void> {
  await appendAudit(sql, {
    id: context.newId('aud'),
    tenantId,
    environment,
    createdAt: context.now,
    actorType: 'operator',
    actorId: context.operatorId,
    action: context.call.operation,
    resourceId,
    requestId: context.requestId,
    // A tenant does not see an operator's address.
    address: null,
  })
}

/** Chosen: actions on the tenant as a whole are in its live log, which is never wiped. */
export function wholeTenant(tenantId: string): Owner {
  return { tenantId, environment: 'live' }
}
