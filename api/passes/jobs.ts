// Jobs of passes and their wallets.
import type { Job } from '../jobs/job.ts'
import { purgeExpired } from '../jobs/purge-expired.ts'
import { templateFollower } from './passes/index.ts'

/** `publicUrl`: address for holders of passes, without a slash at its end. */
export function passJobs(publicUrl: string): readonly Job[] {
  return [templateFollower(publicUrl), purgeGoogleCallbacks]
}

/** Chosen: clocks of processes differ by less. */
const CALLBACKS_KEPT_MS = 3_600_000

/** A callback of Google once its message has expired. */
export const purgeGoogleCallbacks = purgeExpired({
  name: 'purge_google_callbacks',
  table: 'google_callbacks',
  key: 'nonce',
  keptMs: CALLBACKS_KEPT_MS,
  clock: 'installation',
})
