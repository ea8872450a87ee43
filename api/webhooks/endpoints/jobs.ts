// Jobs of endpoints: the revocation of secrets and the sweep of open deliveries.
import type { EpochMs } from '../../../shared/clock.ts'
import { type TxSql, tx } from '../../database/transaction.ts'
import { type Job, rowByRow } from '../../jobs/job.ts'
import { auditTimer } from '../../write/audit.ts'
import { lockExpiredSecret, revokeOlderSecret } from './secret-store.ts'
import { continueSweep } from './sweep-store.ts'

const NAME = 'secret_expiry'

/**
 * Revokes secrets whose end was set when a newer secret was made. No delivery waits for this job:
 * each signature uses the secrets active at that moment.
 */
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

/**
 * Continues after an endpoint was enabled or deleted, with its other open deliveries: one part of
 * each endpoint, then the next round.
 */
export const sweepJob: Job = {
  name: 'endpoint_sweeps',
  every: 1000,
  lease: 60_000,
  /** Endpoints. */
  batch: 20,
  async run({ sql, batch }) {
    let done = 0
    let after = ''
    for (let round = 0; round < batch; round++) {
      const part = await tx(sql, (inner) => continueSweep(inner, after))
      if (part === null) return done
      done += part.count
      after = part.endpointId
    }
    return done
  },
}
