// The engine never talks to PostgreSQL: the link tells it the database's clock, a second source for
// the engine's own.
import { databaseNow } from '../database/clock-watch.ts'
import { withDeadline } from '../database/deadline.ts'
import type { Job } from '../jobs/job.ts'
import type { EngineClient } from './client.ts'

const TELL_MS = 2000
const QUERY_MS_MAX = 10_000
/** An answer that took longer says too little about the present. */
const FRESH_MS_MAX = 5000

/** Its run is never counted as work: the next one comes after its interval. */
export function databaseClockJob(client: EngineClient): Job {
  return {
    name: 'tell_database_clock',
    every: TELL_MS,
    lease: QUERY_MS_MAX,
    batch: 1,
    async run({ sql, clock }) {
      const askedNs = clock.monotonicNs()
      const nowMs = await withDeadline(databaseNow(sql), QUERY_MS_MAX)
      const tookMs = (clock.monotonicNs() - askedNs) / 1e6
      if (tookMs <= FRESH_MS_MAX) await client.databaseSays(nowMs)
      return 0
    },
  }
}
