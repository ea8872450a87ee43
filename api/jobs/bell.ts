// Wakes a loop that waits for work; a ring while no loop waits is kept for the next wait. The bell
// rings for every delivery, so it avoids abort signals, which create an exception with its stack
// each time.
import { systemClock } from '../../shared/clock.ts'

export interface Bell {
  ring(): void
  /** Resolves at the next ring, after `delayMs` at the latest. */
  wait(delayMs: number): Promise<void>
}

export function createBell(): Bell {
  let rung = false
  let wake: (() => void) | null = null
  return {
    ring() {
      rung = true
      wake?.()
    },
    async wait(delayMs) {
      if (!rung) {
        await new Promise<void>((resolve) => {
          const timer = systemClock.after(delayMs, resolve)
          wake = () => {
            timer.cancel()
            resolve()
          }
        })
        wake = null
      }
      rung = false
    },
  }
}
