// How long a permit of this dispatcher can be used. It is short where deliveries leave soon after
// their permit, since the others' permits wait for its end, and grows where this process lags: it
// then sends less, and still no tenant gets too much.

const MS_MIN = 25
const MS_MAX = 2000
/** The allowance is so many times the worst lag of late. */
const MARGIN = 2
/** Decay of the worst lag with each delivery that left sooner. */
const FADING = 0.995

export class Allowance {
  #worstMs = 0

  /** In whole milliseconds. */
  get ms(): number {
    return Math.min(MS_MAX, Math.max(MS_MIN, Math.ceil(MARGIN * this.#worstMs)))
  }

  /** From the grant of a permit until its delivery left, or was found too late. */
  observe(lagMs: number): void {
    this.#worstMs = Math.max(lagMs, this.#worstMs * FADING)
  }
}
