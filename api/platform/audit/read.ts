// All reads of the audit log.

import { unixSeconds } from '../../../shared/clock.ts'
import type { AuditLogEntry, AuditVerification } from '../../../shared/schemas/audit-log-entry.ts'
import type { Page } from '../../../shared/schemas/list.ts'
import type { Owner } from '../../context.ts'
import { mapPage, type PageQuery } from '../../database/page.ts'
import type { SqlTag } from '../../database/pool.ts'
import { Refusal } from '../../http/refusal.ts'
import type { AuditRow } from '../../write/audit.ts'
import { type AuditFilters, findHead, listAuditRows } from './store.ts'
import { verifyLog } from './verify.ts'

/** Rows that one call checks: some tenths of a second of work. */
const VERIFIED_ROWS_MAX = 10_000

export async function readAuditLog(
  sql: SqlTag,
  owner: Owner,
  query: PageQuery & AuditFilters,
): Promise<Page<AuditLogEntry>> {
  return mapPage(await listAuditRows(sql, owner, query), auditView)
}

/** Checks the chain from row `from` on. */
export async function verifyAuditLog(
  sql: SqlTag,
  owner: Owner,
  { from = 1 }: { from?: number },
): Promise<AuditVerification> {
  const head = await findHead(sql, owner)
  if (from > (head?.seq ?? 0) + 1)
    throw new Refusal('parameter_invalid', { param: 'from', message: 'The log has no such row.' })
  return verifyLog(sql, owner, { from, rowsMax: VERIFIED_ROWS_MAX })
}

function auditView(row: AuditRow): AuditLogEntry {
  return {
    id: row.id,
    object: 'audit_log_entry',
    created: unixSeconds(row.createdAt),
    livemode: row.environment === 'live',
    seq: row.seq,
    actor: { type: row.actorType, id: row.actorId },
    action: row.action,
    resource_id: row.resourceId,
    request_id: row.requestId,
    address: row.address,
    approved_by: row.approvedBy,
    previous_hash: row.previousHash.toString('hex'),
    hash: row.hash.toString('hex'),
  }
}
