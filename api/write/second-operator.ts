// Uses up the approval of a second operator, in the transaction of the call.
import type { EpochMs } from '../../shared/clock.ts'
import type { TxSql } from '../database/transaction.ts'
import { Refusal } from '../http/refusal.ts'

/** The approval of an operator's call by another operator. */
export interface SecondOperator {
  approvalId: string
  /** The operator who approved it. */
  approvedBy: string
}

/**
 * If two calls share one approval, the second waits for the first and is refused (403), as is a
 * call whose approver was revoked or expired meanwhile. The call that used it finds it again,
 * because the outcome of its commit may be unknown.
 */
export async function useSecondOperator(
  sql: TxSql,
  { requestId, now }: { requestId: string; now: EpochMs },
  { approvalId }: SecondOperator,
): Promise<void> {
  const [used] = await sql<{ by: string }[]>`
    update operator_approvals set used_at = ${now}, used_by = ${requestId}
    where id = ${approvalId} and state = 'approved' and expires_at > ${now}
      and (used_at is null or used_by = ${requestId})
    returning decided_by as by`
  const [approver] =
    used === undefined
      ? []
      : await sql`
          select 1 from operators
          where id = ${used.by} and state = 'active' and (expires_at is null or expires_at > ${now})`
  if (approver !== undefined) return
  throw new Refusal('second_operator_required', {
    message:
      'This approval was used or taken back, or the operator who gave it has no credential that works. Call again.',
  })
}
