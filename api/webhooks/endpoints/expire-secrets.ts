// Revokes secrets whose end was set when a newer secret was made. No delivery waits for this timer:
// each signature uses the secrets active at that moment.
import type { EpochMs } from '../../../shared/clock.ts'
import type { TxSql } from '../../database/transaction.ts'
import { type Job, rowByRow } from '../../jobs/job.ts'
import { auditTimer } from '../../write/audit.ts'
import { lockExpiredSecret, revokeOlderSecret } from './secret-store.ts'

const NAME = 'secret_expiry'

export const expireSecrets: Job = {
  name: NAME,
  every: 1000,
  lease: 60_000,
  batch: 100,
  run: rowByRow(revokeOne),
}

async function revokeOne(sql: TxSql, now: EpochMs): Promise<boolean> {
  const due = await lockExpiredSecret(sql, now)
  if (due === null) return false
  const { endpointId } = due
  await revokeOlderSecret(sql, { endpointId, now: now + due.clockOffsetMs })
  await auditTimer(sql, due, { timer: NAME, resourceId: endpointId, now })
  return true
}
