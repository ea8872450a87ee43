// Revokes secrets whose end was told when another one was made. No delivery waits for this: whoever signs takes the secrets that
// are active in that moment.
import type { EpochMs } from '../../../shared/clock.ts'
import { newId } from '../../../shared/id.ts'
import type { Sql } from '../../database/pool.ts'
import { tx } from '../../database/transaction.ts'
import type { Timer } from '../../timer.ts'
import { appendAudit } from '../audit-log/index.ts'
import { lockExpiredSecret, revokeOlderSecret } from './secret-store.ts'

const ROUND_MAX = 100

/** Each in a transaction of its own: it takes the log of one tenant only, and waits for nobody with another one's. */
export const expireSecrets: Timer = {
  name: 'secret_expiry',
  async run({ sql, now }) {
    let done = 0
    while (done < ROUND_MAX && (await expireOne(sql, now))) done += 1
    return done
  },
}

async function expireOne(sql: Sql, now: EpochMs): Promise<boolean> {
  return tx(sql, async (inner) => {
    const due = await lockExpiredSecret(inner, now)
    if (due === null) return false
    const { endpointId, tenantId, environment } = due
    const tenantNow = now + due.clockOffsetMs
    await revokeOlderSecret(inner, { endpointId, now: tenantNow })
    await appendAudit(inner, {
      id: newId('aud', now),
      tenantId,
      environment,
      createdAt: tenantNow,
      actorType: 'system',
      actorId: null,
      action: 'timer ' + expireSecrets.name,
      resourceId: endpointId,
      requestId: null,
      address: null,
    })
    return true
  })
}
