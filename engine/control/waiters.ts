// Requests that wait for a condition, each with its own deadline. Bounded.
import type { Clock } from '../../shared/clock.ts'

interface Waiter {
  ready(): boolean
  settle(ready: boolean): void
}

export class Waiters {
  readonly #clock: Clock
  readonly #most: number
  readonly #waiting = new Set<Waiter>()

  constructor(options: { clock: Clock; most: number }) {
    this.#clock = options.clock
    this.#most = options.most
  }

  /**
   * True as soon as the condition holds at a `check`; false at the deadline, or when too many wait
   * already.
   */
  wait(ready: () => boolean, deadlineMs: number): Promise<boolean> {
    if (ready()) return Promise.resolve(true)
    if (this.#waiting.size >= this.#most) return Promise.resolve(false)
    return new Promise((resolve) => {
      const waiter: Waiter = {
        ready,
        settle: (result) => {
          timer.cancel()
          this.#waiting.delete(waiter)
          resolve(result)
        },
      }
      const timer = this.#clock.after(deadlineMs, () => waiter.settle(ready()))
      this.#waiting.add(waiter)
    })
  }

  /** Call it after a change that a waiter may wait for. */
  check(): void {
    for (const waiter of this.#waiting) if (waiter.ready()) waiter.settle(true)
  }

  /** Ends every wait. */
  release(): void {
    for (const waiter of this.#waiting) waiter.settle(false)
  }
}
