// Frames of a link that come faster than they are decided. A link is read as fast as the network
// writes, in turns with the others: frames left in the connection's buffers would grow old unseen
// and be answered too late.
import type { Clock } from '../../../shared/clock.ts'
import { JOURNAL_AGE_MS_MAX } from '../../../shared/limits.ts'

/** Nanoseconds for which a link's frames are taken before the other links. */
const TURN_NS = 5e6
/** Waiting frames; as many as are decided in about the time after which they are refused anyway. */
const FRAMES_MAX = 4000
const NS_PER_MS = 1e6

export interface Frame {
  content: Buffer
  /** Milliseconds since the epoch and monotonic nanoseconds of its first byte. */
  atMs: number
  ns: number
}

/** `tooLate`: the frame waited too long, or behind too many, to be decided. */
export type Take = (frame: Frame, tooLate: boolean) => void

export class Backlog {
  readonly #clock: Clock
  readonly #take: Take
  #frames: Frame[] = []
  #from = 0
  #turnNs = 0
  #scheduled = false

  constructor(clock: Clock, take: Take) {
    this.#clock = clock
    this.#take = take
  }

  /** A read begins. */
  beginTurn(nowNs: number): void {
    this.#turnNs = nowNs
  }

  /**
   * Takes the frame now if none waits and the turn is young; otherwise the frame waits, and its
   * bytes are copied.
   */
  add(frame: Frame): void {
    const waiting = this.#frames.length - this.#from
    if (waiting === 0 && this.#clock.monotonicNs() - this.#turnNs < TURN_NS)
      return this.#take(frame, false)
    if (waiting >= FRAMES_MAX) return this.#take(frame, true)
    this.#frames.push({ ...frame, content: Buffer.from(frame.content) })
    this.#schedule()
  }

  /** Drops the waiting frames. */
  clear(): void {
    this.#frames = []
    this.#from = 0
  }

  #schedule(): void {
    if (this.#scheduled) return
    this.#scheduled = true
    setImmediate(() => {
      this.#scheduled = false
      this.#turn()
    })
  }

  #turn(): void {
    this.#turnNs = this.#clock.monotonicNs()
    let nowNs = this.#turnNs
    while (nowNs - this.#turnNs < TURN_NS) {
      const frame = this.#frames[this.#from]
      if (frame === undefined) return this.clear()
      this.#from += 1
      this.#take(frame, (nowNs - frame.ns) / NS_PER_MS > JOURNAL_AGE_MS_MAX)
      nowNs = this.#clock.monotonicNs()
    }
    if (this.#from > FRAMES_MAX) {
      this.#frames = this.#frames.slice(this.#from)
      this.#from = 0
    }
    this.#schedule()
  }
}
