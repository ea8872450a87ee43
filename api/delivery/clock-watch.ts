// Whether this machine's clock and the database's agree. What is due, expires or is old enough to be dropped is decided by our
// clock: one that is wrong by hours would use up five attempts in a row, or drop days of events. So nothing of that kind happens
// while they differ, whichever of the two is wrong.
import type { Clock, EpochMs } from '../../shared/clock.ts'
import type { Logger } from '../../shared/log.ts'

/** More than clocks that are kept right ever differ. */
const APART_MS_MAX = 60_000

interface ClockWatchOptions {
  clock: Clock
  log: Logger
  apartMsMax?: number
}

export class ClockWatch {
  readonly #clock: Clock
  readonly #log: Logger
  readonly #apartMsMax: number
  #agreed = true
  /** Our clock less what runs evenly, when it was compared last. */
  #setMs: number

  constructor({ clock, log, apartMsMax = APART_MS_MAX }: ClockWatchOptions) {
    this.#clock = clock
    this.#log = log
    this.#apartMsMax = apartMsMax
    this.#setMs = setMs(clock)
  }

  /** Whether the clocks agreed when they were compared, and ours was not set since: that is seen at once. */
  get agrees(): boolean {
    return this.#agreed && Math.abs(setMs(this.#clock) - this.#setMs) <= this.#apartMsMax
  }

  /** `ask` answers with the database's moment; however long that takes says nothing about the clocks. */
  async compare(ask: () => Promise<EpochMs>): Promise<void> {
    const asked = this.#clock.nowMs()
    const set = setMs(this.#clock)
    const theirs = await ask()
    const apart = apartMs({ asked, theirs, answered: this.#clock.nowMs() })
    const agreed = Math.abs(apart) <= this.#apartMsMax
    if (agreed !== this.#agreed) {
      if (agreed) this.#log.info({ apart_ms: apart }, 'the clocks agree, going on')
      else this.#log.error({ apart_ms: apart }, 'our clock and the database’s differ, waiting')
    }
    this.#agreed = agreed
    this.#setMs = set
  }
}

function setMs(clock: Clock): number {
  return clock.nowMs() - clock.monotonicNs() / 1e6
}

/** How much later it is with us, at least; 0 where it may be the same. The database's moment was between two of ours. */
function apartMs(moments: { asked: EpochMs; theirs: EpochMs; answered: EpochMs }): number {
  const { asked, theirs, answered } = moments
  if (theirs < asked) return asked - theirs
  return Math.min(0, answered - theirs)
}
