// Waits for a condition, never for a time.
import { sleep, systemClock } from '../../shared/clock.ts'

const POLL_MS = 20

/** Resolves once the condition holds; fails after `waitMsMax`. */
export async function until(
  condition: () => boolean | Promise<boolean>,
  waitMsMax = 20_000,
): Promise<void> {
  const deadlineMs = systemClock.nowMs() + waitMsMax
  while (!(await condition())) {
    if (systemClock.nowMs() > deadlineMs) throw new Error('did not happen: ' + String(condition))
    await sleep(POLL_MS)
  }
}
