// What an operator does with a tenant stands in that tenant's audit log too, so that it sees who did what to it. The operators'
// own log, which has all they do, is written with every call.
import type { OperatorContext, Owner } from '../../context.ts'
import type { TxSql } from '../../database/transaction.ts'
import { appendAudit } from '../audit-log/index.ts'

/** Call it last in the transaction that did it: the tenant's sequence of events is locked before its log. */
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
    action: context.operation,
    resourceId,
    requestId: context.requestId,
    // Where an operator sits is no tenant's business.
    address: null,
  })
}

/** Chosen: what concerns a tenant as a whole stands in its live log, which is never wiped. */
export function wholeTenant(tenantId: string): Owner {
  return { tenantId, environment: 'live' }
}
