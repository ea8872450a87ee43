// All reads of the audit log.
import type { AuditLogEntry, AuditVerification } from '../../../shared/schemas/audit-log-entry.ts'
import type { Page } from '../../../shared/schemas/list.ts'
import type { Owner } from '../../context.ts'
import { mapPage, type PageQuery } from '../../database/page.ts'
import type { SqlTag } from '../../database/pool.ts'
import { Refusal } from '../../http/refusal.ts'
import { type AuditFilters, findHead, listAuditRows } from './store.ts'
import { verifyLog } from './verify.ts'
import { auditView } from './view.ts'

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
