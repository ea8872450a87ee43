// Lets the journal on this disk go: entries that PostgreSQL has and a snapshot covers.
import type { Clock } from '../shared/clock.ts'
import type { EngineLog } from './journal/decision-log.ts'
import type { Wires } from './wires.ts'

const MARK_MS = 30_000

/** Entries up to `seq` had been drained at a moment. */
interface Mark {
  atNs: number
  seq: number
}

export class LocalTrim {
  /** PostgreSQL has the entries up to this one. */
  drainedSeq = 0
  /** The one on this disk: the log of a follower takes no messages, whatever space there is. */
  readonly #journal: EngineLog
  readonly #wires: Pick<Wires, 'snapshots'>
  readonly #clock: Clock
  readonly #keptMs: number
  /** Oldest first, MARK_MS apart. */
  #marks: Mark[] = []

  constructor(
    journal: EngineLog,
    wires: Pick<Wires, 'snapshots'>,
    { clock, keptMs }: { clock: Clock; keptMs: number },
  ) {
    this.#journal = journal
    this.#wires = wires
    this.#clock = clock
    this.#keptMs = keptMs
  }

  drainedTo(seq: number): void {
    this.drainedSeq = Math.max(this.drainedSeq, seq)
    this.trim()
  }

  /** A database that lost commits has less than the one before: its drain goes on from there. */
  attachedAt(seq: number): void {
    this.drainedSeq = seq
    this.#marks = this.#marks.filter((mark) => mark.seq <= seq)
    this.trim()
  }

  trim(): void {
    const { takenSeq = 0, coveredSeq = 0 } = this.#wires.snapshots ?? {}
    const { writable } = this.#journal
    const drainedSeq = writable ? this.#drainedLongAgo() : this.drainedSeq
    // Chosen: without room to write, one snapshot suffices; answering is worth more than a second
    // one.
    this.#journal.trim(Math.min(drainedSeq, writable ? coveredSeq : takenSeq))
    if (!writable && this.drainedSeq > takenSeq) this.#wires.snapshots?.makeRoom()
  }

  /** The last entry that PostgreSQL has had for as long as this engine keeps it. */
  #drainedLongAgo(): number {
    if (this.#keptMs === 0) return this.drainedSeq
    const nowNs = this.#clock.monotonicNs()
    const last = this.#marks.at(-1)
    if (last === undefined || (nowNs - last.atNs) / 1e6 >= MARK_MS)
      this.#marks.push({ atNs: nowNs, seq: this.drainedSeq })
    const isOld = (mark: Mark): boolean => (nowNs - mark.atNs) / 1e6 >= this.#keptMs
    while (this.#marks[1] !== undefined && isOld(this.#marks[1])) this.#marks.shift()
    const [oldest] = this.#marks
    return oldest !== undefined && isOld(oldest) ? oldest.seq : 0
  }
}
