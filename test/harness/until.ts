// Waits for a condition, never for a time.
import { sleep, systemClock } from '../../shared/clock.ts'

/**
 * A short first interval notices a quick result at once; a growing one does not slow down a long
 * wait.
 */
const POLL_MS_MIN = 2
const POLL_MS_MAX = 50
const POLL_SHARE = 1 / 16
/** Only what never comes true waits so long: a busy machine is many times slower than others. */
const WAIT_MS_MAX = 300_000

/** True once the condition holds; false when it did not come true within `waitMsMax`. */
export async function happens(
  condition: () => boolean | Promise<boolean>,
  waitMsMax = WAIT_MS_MAX,
): Promise<boolean> {
  const startedNs = systemClock.monotonicNs()
  while (!(await condition())) {
    const waitedMs = (systemClock.monotonicNs() - startedNs) / 1e6
    if (waitedMs > waitMsMax) return false
    await sleep(Math.min(POLL_MS_MAX, Math.max(POLL_MS_MIN, waitedMs * POLL_SHARE)))
  }
  return true
}

/** Resolves once the condition holds; fails after `waitMsMax`. */
export async function until(
  condition: () => boolean | Promise<boolean>,
  waitMsMax = WAIT_MS_MAX,
): Promise<void> {
  if (!(await happens(condition, waitMsMax))) throw new Error('did not happen: ' + condition)
}
