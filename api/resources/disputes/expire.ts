// Disputes whose window closed without a response are lost. Spec 3 and 6.2, dispute.expired.
import type { EpochMs } from '../../../shared/clock.ts'
import type { Sql } from '../../database/pool.ts'
import { tx } from '../../database/transaction.ts'
import type { Timer } from '../../timer.ts'
import { moveDispute } from './move.ts'
import { lockDueDispute } from './store.ts'

const ROUND_MAX = 100

/** Each in a transaction of its own: it takes the sequence of one tenant only, and waits for nobody with another one's. */
export const disputeExpiry: Timer = {
  name: 'dispute_expiry',
  async run({ sql, now }) {
    let done = 0
    while (done < ROUND_MAX && (await expireOne(sql, now))) done += 1
    return done
  },
}

async function expireOne(sql: Sql, now: EpochMs): Promise<boolean> {
  return tx(sql, async (inner) => {
    const due = await lockDueDispute(inner, now)
    if (due === null) return false
    const tenantNow = now + due.clockOffsetMs
    const change = { outcome: 'lost', resolvedAt: tenantNow } as const
    await moveDispute(inner, due, { id: due.id, move: 'expire', now: tenantNow, change })
    return true
  })
}
