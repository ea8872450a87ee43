// Deletes sessions that ended.
import type { Job } from '../../jobs/job.ts'
import { IDLE_MS } from './session.ts'
import { deleteEnded } from './store.ts'

export const purgeSessions: Job = {
  name: 'purge_sessions',
  every: 10_000,
  lease: 60_000,
  batch: 1000,
  run: ({ sql, now, batch }) => deleteEnded(sql, { now, seenBefore: now - IDLE_MS, max: batch }),
}
