// Forgets a callback of Google once its message has expired.
import { purgeExpired } from '../../../jobs/purge-expired.ts'

/** Chosen: clocks of processes differ by less. */
const KEPT_MS = 3_600_000

export const purgeGoogleCallbacks = purgeExpired({
  name: 'purge_google_callbacks',
  table: 'google_callbacks',
  key: 'nonce',
  keptMs: KEPT_MS,
  clock: 'installation',
})
