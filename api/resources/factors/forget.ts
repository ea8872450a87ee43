// Challenges are removed a day after they were made: what came of them stands in the audit log.
import type { Timer } from '../../timer.ts'
import { deleteChallenges } from './store.ts'

const KEPT_MS = 24 * 3_600_000
const FORGOTTEN_MAX = 1000

export const forgetChallenges: Timer = {
  name: 'forget challenges',
  run: ({ sql, now }) => deleteChallenges(sql, { before: now - KEPT_MS, max: FORGOTTEN_MAX }),
}
