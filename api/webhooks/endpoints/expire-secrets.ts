// Revokes secrets whose end was set when a newer secret was made. No delivery waits for this timer:
// each signature uses the secrets active at that moment.
import { rowByRow } from '../../jobs/timer.ts'
import { auditTimer } from '../../write/audit.ts'
import { lockExpiredSecret, revokeOlderSecret } from './secret-store.ts'

const NAME = 'secret_expiry'

export const expireSecrets = rowByRow(NAME, async (sql, now) => {
  const due = await lockExpiredSecret(sql, now)
  if (due === null) return false
  const { endpointId } = due
  await revokeOlderSecret(sql, { endpointId, now: now + due.clockOffsetMs })
  await auditTimer(sql, due, { timer: NAME, resourceId: endpointId, now })
  return true
})
