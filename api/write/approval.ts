// Uses up a person's approval of a call, in the transaction of the call.
import type { EpochMs } from '../../shared/clock.ts'
import type { TxSql } from '../database/transaction.ts'
import { Refusal } from '../http/refusal.ts'
import type { Evidence } from './evidence.ts'

/** A call that carries a matching approval. Only the use of the approval is still to be decided. */
export interface ApprovedCall {
  /** Null: the proof was used up before the call, as that of an operator on a page. */
  challengeId: string | null
  /** The person or operator who approved it. */
  approvedBy: string
  /** When it was asked for, installation time; absent where the person saw the call just then. */
  askedAt?: EpochMs
  /** The passkey's evidence; null for a code. */
  evidence: Evidence | null
}

/**
 * If two calls share one approval, the second waits for the first and is refused (403), as is a
 * call whose approver was disabled.
 */
export async function useFactor(
  sql: TxSql,
  { requestId, now }: { requestId: string; now: EpochMs },
  { challengeId }: ApprovedCall,
): Promise<void> {
  if (challengeId === null) return
  if (await saveUsed(sql, { challengeId, requestId, now })) return
  throw new Refusal('factor_required', {
    message:
      'This Svc-Factor was used already, or who gave it is disabled by now. Repeat the call without it to ask for another.',
  })
}

/**
 * Returns true once per challenge, and again for the call that used it, because the outcome of its
 * commit may be unknown. Returns false if the approver is disabled by then: the statement checks
 * this last, because a call may wait long between its gate and this point or for a rival call. The
 * person's row is not locked: disabling a person locks the tenant first, and the call may need that
 * lock.
 */
async function saveUsed(
  sql: TxSql,
  use: { challengeId: string; requestId: string; now: EpochMs },
): Promise<boolean> {
  const [used] = await sql<{ by: string }[]>`
    update factor_challenges set used_at = ${use.now}, used_by = ${use.requestId}
    where id = ${use.challengeId} and state = 'approved'
      and (used_at is null or used_by = ${use.requestId})
    returning decided_by as by`
  if (used === undefined) return false
  const [approver] = await sql`select 1 from users where id = ${used.by} and state = 'active'`
  return approver !== undefined
}
