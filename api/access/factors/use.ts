// Uses up the approval of a call in the transaction of its effect: a crash in between leaves the
// approval unused.
import type { EpochMs } from '../../../shared/clock.ts'
import type { TxSql } from '../../database/transaction.ts'
import { Refusal } from '../../http/refusal.ts'
import { saveUsed } from './store.ts'

/** A call that carries a matching approval. Only the use of the approval is still to be decided. */
export interface ApprovedCall {
  challengeId: string
  /** The person who approved it. */
  approvedBy: string
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
  if (await saveUsed(sql, { challengeId, requestId, now })) return
  throw new Refusal('factor_required', {
    message:
      'This Svc-Factor was used already, or who gave it is disabled by now. Repeat the call without it to ask for another.',
  })
}
