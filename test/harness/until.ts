// Waits for a condition, never for a time.
import { sleep, systemClock } from '../../shared/clock.ts'

const POLL_MS = 2

/** True once the condition holds; false when it did not come true within `waitMsMax`. */
export async function happens(
  condition: () => boolean | Promise<boolean>,
  waitMsMax: number,
): Promise<boolean> {
  const startedNs = systemClock.monotonicNs()
  while (!(await condition())) {
    if ((systemClock.monotonicNs() - startedNs) / 1e6 > waitMsMax) return false
    await sleep(POLL_MS)
  }
  return true
}

/** Resolves once the condition holds; fails after `waitMsMax`. */
export async function until(
  condition: () => boolean | Promise<boolean>,
  waitMsMax = 20_000,
): Promise<void> {
  if (!(await happens(condition, waitMsMax))) throw new Error('did not happen: ' + condition)
}
