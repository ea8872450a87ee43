// The clock of decisions: forward only, and watched, because every spend window and every hold
// depends on it.
import type { Clock, EpochMs, Timer } from '../shared/clock.ts'
import { CLOCK_STEP_MS_MAX } from '../shared/limits.ts'

/**
 * Returns a clock that never goes back, not even behind the last decision: windows only move on.
 */
export function forwardClock(clock: Clock, latestMs: number): Clock {
  let latest = latestMs
  return {
    monotonicNs: () => clock.monotonicNs(),
    after: (delayMs, task) => clock.after(delayMs, task),
    nowMs() {
      const now = clock.nowMs()
      if (now > latest) latest = now
      return latest
    },
  }
}

/**
 * A system clock that may not step. A step of more than a minute against the monotonic clock is
 * fail-stop before any code sees the moment. Not even the message under judgement may count at it.
 */
export class StepWatch implements Clock {
  readonly #clock: Clock
  readonly #onFatal: (reason: string) => void
  /** The system clock less the monotonic one, milliseconds. */
  #offsetMs = 0
  #latestMs = 0

  constructor(clock: Clock, onFatal: (reason: string) => void) {
    this.#clock = clock
    this.#onFatal = onFatal
    this.begin()
  }

  /** Takes the clock as it is now. */
  begin(): void {
    this.#latestMs = this.#clock.nowMs()
    this.#offsetMs = this.#latestMs - this.monotonicNs() / 1e6
  }

  /** Looks at the clock, and follows the small steps by which it is kept right. */
  follow(): void {
    this.nowMs()
    const offsetMs = this.#clock.nowMs() - this.monotonicNs() / 1e6
    if (Math.abs(offsetMs - this.#offsetMs) <= CLOCK_STEP_MS_MAX) this.#offsetMs = offsetMs
  }

  /** The moment; one of before the step where the clock stepped. */
  nowMs(): EpochMs {
    const now = this.#clock.nowMs()
    const offsetMs = now - this.#clock.monotonicNs() / 1e6
    if (Math.abs(offsetMs - this.#offsetMs) > CLOCK_STEP_MS_MAX) {
      this.#onFatal('the clock was stepped by more than a minute')
      return this.#latestMs
    }
    this.#latestMs = now
    return now
  }

  monotonicNs(): number {
    return this.#clock.monotonicNs()
  }

  after(delayMs: number, task: () => void): Timer {
    return this.#clock.after(delayMs, task)
  }
}
