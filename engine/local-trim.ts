// Lets the journal on this disk go: entries that PostgreSQL has and a snapshot covers.
import type { EngineLog } from './journal/decision-log.ts'
import type { Wires } from './wires.ts'

export class LocalTrim {
  /** PostgreSQL has the entries up to this one. */
  drainedSeq = 0
  readonly #journal: EngineLog
  readonly #wires: Pick<Wires, 'snapshots'>

  constructor(journal: EngineLog, wires: Pick<Wires, 'snapshots'>) {
    this.#journal = journal
    this.#wires = wires
  }

  drainedTo(seq: number): void {
    this.drainedSeq = Math.max(this.drainedSeq, seq)
    this.trim()
  }

  trim(): void {
    const { takenSeq = 0, coveredSeq = 0 } = this.#wires.snapshots ?? {}
    const { writable } = this.#journal
    // Chosen: without room to write, one snapshot suffices; answering is worth more than a second
    // one.
    this.#journal.trim(Math.min(this.drainedSeq, writable ? coveredSeq : takenSeq))
    if (!writable && this.drainedSeq > takenSeq) this.#wires.snapshots?.makeRoom()
  }
}
