// Challenges are removed an hour after they were made, when nothing can come of them any more: what came of them stands in the
// audit log. Each may be as large as the call it is about.
import type { Timer } from '../../timer.ts'
import { deleteChallenges } from './store.ts'

const KEPT_MS = 3_600_000
const FORGOTTEN_MAX = 1000

export const forgetChallenges: Timer = {
  name: 'forget challenges',
  run: ({ sql, now }) => deleteChallenges(sql, { before: now - KEPT_MS, max: FORGOTTEN_MAX }),
}
