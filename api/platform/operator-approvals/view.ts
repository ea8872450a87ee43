// The public form of a call that waits for a second operator.
import { type EpochMs, unixSeconds } from '../../../shared/clock.ts'
import type { ApprovalStatus, OperatorApproval } from '../../../shared/schemas/operator-approval.ts'

export interface ApprovalRow {
  id: string
  operatorId: string
  operatorName: string
  operation: string
  method: string
  path: string
  fields: readonly { name: string; value: string }[]
  state: 'pending' | 'approved' | 'denied'
  createdAt: EpochMs
  /** End of the time to decide, and to make the call. */
  expiresAt: EpochMs
  decidedAt: EpochMs | null
  decidedBy: string | null
  usedAt: EpochMs | null
}

export function approvalView(row: ApprovalRow, now: EpochMs): OperatorApproval {
  return {
    id: row.id,
    object: 'operator_approval',
    created: unixSeconds(row.createdAt),
    status: statusOf(row, now),
    operator_id: row.operatorId,
    operator_name: row.operatorName,
    operation: row.operation,
    method: row.method,
    path: row.path,
    fields: [...row.fields],
    expires_at: unixSeconds(row.expiresAt),
    decided_by: row.decidedBy,
    decided_at: row.decidedAt === null ? null : unixSeconds(row.decidedAt),
    used_at: row.usedAt === null ? null : unixSeconds(row.usedAt),
  }
}

/** A row is never changed by the passage of time: its end is compared with the clock. */
export function statusOf(
  { state, usedAt, expiresAt }: Pick<ApprovalRow, 'state' | 'usedAt' | 'expiresAt'>,
  now: EpochMs,
): ApprovalStatus {
  if (usedAt !== null) return 'used'
  if (state === 'denied' || now < expiresAt) return state
  return 'expired'
}
