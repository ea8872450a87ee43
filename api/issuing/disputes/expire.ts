// Loses disputes whose window closed without a response. Spec 3 and 6.2, dispute.expired.
import { rowByRow } from '../../jobs/timer.ts'
import { moveDispute } from './move.ts'
import { lockDueDispute } from './store.ts'

export const disputeExpiry = rowByRow('dispute_expiry', async (sql, now) => {
  const due = await lockDueDispute(sql, now)
  if (due === null) return false
  const tenantNow = now + due.clockOffsetMs
  const change = { outcome: 'lost', resolvedAt: tenantNow } as const
  await moveDispute(sql, due, { id: due.id, move: 'expire', now: tenantNow, change })
  return true
})
