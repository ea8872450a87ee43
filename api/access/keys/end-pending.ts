// Revokes pending keys whose grace has ended. No call waits for this: the gate compares a key's
// time with the clock; here the row follows, and the tenant is told. Spec 3, api_key.revoked.
import { rowByRow } from '../../jobs/timer.ts'
import { auditTimer } from '../../write/audit.ts'
import { moveKey } from './move.ts'
import { lockDueKey } from './store.ts'

const NAME = 'pending_key_revocation'

export const endPendingKeys = rowByRow(NAME, async (sql, now) => {
  const due = await lockDueKey(sql, now)
  if (due === null) return false
  const { id } = due
  await moveKey(sql, due, { id, move: 'revoke', now: now + due.clockOffsetMs })
  await auditTimer(sql, due, { timer: NAME, resourceId: id, now })
  return true
})
