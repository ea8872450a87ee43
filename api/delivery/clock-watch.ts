// Whether this machine's clock and the database's agree. What is due, expires or is old enough to be dropped is decided by our
// clock: one that is wrong by hours would use up five attempts in a row, or drop days of events. So nothing of that kind happens
// while they differ, whichever of the two is wrong.
import type { EpochMs } from '../../shared/clock.ts'
import type { Logger } from '../../shared/log.ts'

/** More than clocks that are kept right ever differ. */
const APART_MS_MAX = 60_000

/** A moment of the database, and between which of ours it was. */
export interface Comparison {
  asked: EpochMs
  theirs: EpochMs
  answered: EpochMs
}

export class ClockWatch {
  readonly #log: Logger
  readonly #apartMsMax: number
  #agrees = true

  constructor(log: Logger, apartMsMax = APART_MS_MAX) {
    this.#log = log
    this.#apartMsMax = apartMsMax
  }

  get agrees(): boolean {
    return this.#agrees
  }

  compare(comparison: Comparison): void {
    const apart = apartMs(comparison)
    const agrees = Math.abs(apart) <= this.#apartMsMax
    if (agrees !== this.#agrees) {
      if (agrees) this.#log.info({ apart_ms: apart }, 'the clocks agree, going on')
      else this.#log.error({ apart_ms: apart }, 'our clock and the database’s differ, waiting')
    }
    this.#agrees = agrees
  }
}

/** How much later it is with us, at least; 0 where it may be the same. */
function apartMs({ asked, theirs, answered }: Comparison): number {
  if (theirs < asked) return asked - theirs
  return Math.min(0, answered - theirs)
}
