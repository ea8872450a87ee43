// The timer forgets a callback of Google once its message has expired.
import { forgetExpired } from '../../forget-expired.ts'

/** Chosen: clocks of processes differ by less. */
const KEPT_MS = 3_600_000

export const forgetGoogleCallbacks = forgetExpired({
  name: 'forget google callbacks',
  table: 'google_callbacks',
  key: 'nonce',
  keptMs: KEPT_MS,
  clock: 'installation',
})
