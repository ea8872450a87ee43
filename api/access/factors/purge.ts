// The timer removes challenges an hour after their creation, when they can have no further effect:
// the audit log has their outcome. A challenge may be as large as its call.
import type { Timer } from '../../jobs/timer.ts'
import { deleteChallenges } from './store.ts'

const KEPT_MS = 3_600_000
const FORGOTTEN_MAX = 1000

export const purgeChallenges: Timer = {
  name: 'forget challenges',
  run: ({ sql, now }) => deleteChallenges(sql, { before: now - KEPT_MS, max: FORGOTTEN_MAX }),
}
