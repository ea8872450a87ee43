// Pending keys whose grace is over are revoked. No call waits for this: at the gate a key's time is compared with the clock;
// here the row follows, and the tenant is told. Spec 3, api_key.revoked.
import type { EpochMs } from '../../../shared/clock.ts'
import { newId } from '../../../shared/id.ts'
import type { Sql } from '../../database/pool.ts'
import { tx } from '../../database/transaction.ts'
import type { Timer } from '../../timer.ts'
import { appendAudit } from '../audit-log/index.ts'
import { moveKey } from './move.ts'
import { lockDueKey } from './store.ts'

const ROUND_MAX = 100

/** Each in a transaction of its own: it takes the sequence of one tenant only, and waits for nobody with another one's. */
export const endPendingKeys: Timer = {
  name: 'pending_key_revocation',
  async run({ sql, now }) {
    let done = 0
    while (done < ROUND_MAX && (await endOne(sql, now))) done += 1
    return done
  },
}

async function endOne(sql: Sql, now: EpochMs): Promise<boolean> {
  return tx(sql, async (inner) => {
    const due = await lockDueKey(inner, now)
    if (due === null) return false
    const { id, tenantId, environment } = due
    const tenantNow = now + due.clockOffsetMs
    await moveKey(inner, due, { id, move: 'revoke', now: tenantNow })
    await appendAudit(inner, {
      id: newId('aud', now),
      tenantId,
      environment,
      createdAt: tenantNow,
      actorType: 'system',
      actorId: null,
      action: 'timer ' + endPendingKeys.name,
      resourceId: id,
      requestId: null,
      address: null,
    })
    return true
  })
}
