// Ends the pause of a loop early; a raise while no loop waits is kept for the next wait. Delivery
// raises one for every event, so it avoids abort signals, which create an exception with its stack
// each time.
import { type Clock, systemClock } from '../../shared/clock.ts'

export interface Signal {
  raise(): void
  /** Resolves at the next raise, after `delayMs` at the latest. One wait at a time. */
  wait(delayMs: number): Promise<void>
}

export function createSignal(clock: Clock = systemClock): Signal {
  let raised = false
  let resume: (() => void) | null = null
  return {
    raise() {
      raised = true
      resume?.()
    },
    async wait(delayMs) {
      if (!raised) {
        await new Promise<void>((resolve) => {
          const timer = clock.after(delayMs, resolve)
          resume = () => {
            timer.cancel()
            resolve()
          }
        })
        resume = null
      }
      raised = false
    },
  }
}
