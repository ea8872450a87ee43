// Continues after an endpoint was enabled or deleted: with its other open deliveries.
import { tx } from '../../database/transaction.ts'
import type { Job } from '../../jobs/job.ts'
import { continueSweep } from './sweep-store.ts'

/** One part of each endpoint, then the next round. */
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
