// The row of an operator's change of billing in the tenant's audit log; write() adds the row of the
// operators' own log.
import type { OperatorContext, Owner } from '../context.ts'
import type { TxSql } from '../database/transaction.ts'
import { tenantTime } from '../platform/tenants/index.ts'
import { appendAudit } from '../write/audit.ts'

/** Call it last: the tenant's sequence of events is locked before its log. */
export async function auditOnTenant(
  sql: TxSql,
  context: OperatorContext,
  { tenantId, environment }: Owner,
  resourceId: string,
): Promise<void> {
  await appendAudit(sql, {
    id: context.newId('aud'),
    tenantId,
    environment,
    createdAt: await tenantTime(sql, { tenantId, environment }, context.now),
    actorType: 'operator',
    actorId: context.operatorId,
    action: context.call.operation,
    resourceId,
    requestId: context.requestId,
    // A tenant does not see an operator's address.
    address: null,
  })
}
