// A person's change of how they sign in concerns every tenant of theirs: each gets an audit row.
import type { EpochMs } from '../../../shared/clock.ts'
import { newId } from '../../../shared/id.ts'
import type { TxSql } from '../../database/transaction.ts'
import { appendAudit } from '../../write/audit.ts'
import type { Evidence } from '../../write/evidence.ts'

/** Call this function last in a transaction. The rows are in the live logs, which a wipe keeps. */
export async function auditPerson(
  sql: TxSql,
  change: {
    identityId: string
    action: string
    resourceId?: string
    requestId: string
    address: string | null
    now: EpochMs
    /** Evidence of the passkey that proved the change. */
    evidence?: Evidence | null
  },
): Promise<void> {
  const { identityId, action, requestId, address, now, evidence = null } = change
  const members = await sql<{ id: string; tenantId: string }[]>`
    select id, tenant_id as "tenantId" from users
    where identity_id = ${identityId} and state = 'active' order by tenant_id`
  for (const { id, tenantId } of members) {
    await appendAudit(sql, {
      id: newId('aud', now),
      tenantId,
      environment: 'live',
      createdAt: now,
      actorType: 'person',
      actorId: id,
      action,
      resourceId: change.resourceId ?? id,
      requestId,
      address,
      approvedBy: evidence === null ? null : id,
      evidence,
    })
  }
}
