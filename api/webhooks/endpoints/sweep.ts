// Continues after an endpoint was enabled or deleted: with its other open deliveries.
import { tx } from '../../database/transaction.ts'
import type { Timer } from '../../jobs/timer.ts'
import { continueSweep } from './sweep-store.ts'

const ROUND_MAX = 20

/** One part of each endpoint, then the next round. */
export const sweepTimer: Timer = {
  name: 'endpoint_sweeps',
  async run({ sql }) {
    let done = 0
    let after = ''
    for (let round = 0; round < ROUND_MAX; round++) {
      const part = await tx(sql, (inner) => continueSweep(inner, after))
      if (part === null) return done
      done += part.count
      after = part.endpointId
    }
    return done
  },
}
