// Wakes a loop that waits for work; a ring while nobody waits is kept for the next wait.
import { sleep } from '../../shared/clock.ts'

export interface Bell {
  ring(): void
  /** Resolves at the next ring, after `delayMs` at the latest. */
  wait(delayMs: number): Promise<void>
}

export function createBell(): Bell {
  let rung = false
  let waiting: AbortController | null = null
  return {
    ring() {
      rung = true
      waiting?.abort()
    },
    async wait(delayMs) {
      if (!rung) {
        waiting = new AbortController()
        await sleep(delayMs, waiting.signal)
        waiting = null
      }
      rung = false
    },
  }
}
