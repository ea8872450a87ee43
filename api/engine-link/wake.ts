// Ends a pause early. Calls outside a pause are kept as one.
import type { Clock } from '../../shared/clock.ts'

export class Wake {
  readonly #clock: Clock
  #called = false
  #resume: (() => void) | null = null

  constructor(clock: Clock) {
    this.#clock = clock
  }

  call(): void {
    this.#called = true
    this.#resume?.()
  }

  /**
   * Returns after `mostMs`, or as soon as a call came since the last pause ended. One pause at a
   * time.
   */
  async pause(mostMs: number): Promise<void> {
    if (!this.#called) {
      await new Promise<void>((resolve) => {
        const timer = this.#clock.after(mostMs, resolve)
        this.#resume = () => {
          timer.cancel()
          resolve()
        }
      })
      this.#resume = null
    }
    this.#called = false
  }
}
