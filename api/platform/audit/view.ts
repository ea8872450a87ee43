// Only this module makes a row of the audit log public.
import { unixSeconds } from '../../../shared/clock.ts'
import type { AuditLogEntry } from '../../../shared/schemas/audit-log-entry.ts'
import type { AuditRow } from '../../write/audit.ts'

export function auditView(row: AuditRow): AuditLogEntry {
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
