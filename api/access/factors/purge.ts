// The job removes challenges an hour after their creation, when they can have no further effect:
// the audit log has their outcome. A challenge may be as large as its call.
import type { Job } from '../../jobs/job.ts'
import { deleteChallenges } from './store.ts'

const KEPT_MS = 3_600_000

export const purgeChallenges: Job = {
  name: 'purge_challenges',
  every: 10_000,
  lease: 60_000,
  batch: 1000,
  run: ({ sql, now, batch }) => deleteChallenges(sql, { before: now - KEPT_MS, max: batch }),
}
