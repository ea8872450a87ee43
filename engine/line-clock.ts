// The clock of the line: forward only, and watched, because every window depends on it.
import type { Clock, Timer } from '../shared/clock.ts'
import { CLOCK_STEP_MS_MAX } from '../shared/limits.ts'

const CLOCK_WATCH_MS = 1000

/** A clock that never goes back, not behind the last decision either: windows only ever move on. */
export function forwardClock(clock: Clock, latestMs: number): Clock {
  let latest = latestMs
  return {
    ...clock,
    nowMs() {
      const now = clock.nowMs()
      if (now > latest) latest = now
      return latest
    },
  }
}

/** A wall clock that steps further than a minute against the monotonic one is fail-stop. */
export function watchClock(clock: Clock, onFatal: (reason: string) => void): { stop(): void } {
  let timer: Timer
  let offset = clock.nowMs() - clock.monotonicNs() / 1e6
  const look = (): void => {
    const seen = clock.nowMs() - clock.monotonicNs() / 1e6
    if (Math.abs(seen - offset) > CLOCK_STEP_MS_MAX)
      return onFatal('the clock was stepped by more than a minute')
    offset = seen
    timer = clock.after(CLOCK_WATCH_MS, look)
  }
  timer = clock.after(CLOCK_WATCH_MS, look)
  return { stop: () => timer.cancel() }
}
