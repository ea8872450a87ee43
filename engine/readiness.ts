// Whether the engine may decide now. Everything that could make a decision wrong or lose it is asked here.
import type { Facts } from './facts/facts.ts'
import type { SegmentLog } from './journal/segment-log.ts'
import type { LineSecrets } from './line/line.ts'

/** Whether the engine may decide, and why not. */
export class Readiness {
  readonly #journal: SegmentLog
  readonly #facts: Facts
  readonly #secrets: LineSecrets
  stopping = false
  refused: string | null = null

  constructor(journal: SegmentLog, facts: Facts, secrets: LineSecrets) {
    this.#journal = journal
    this.#facts = facts
    this.#secrets = secrets
  }

  reason(): string | null {
    if (this.stopping) return 'The engine is stopping.'
    if (this.refused !== null) return this.refused
    if (!this.#journal.attached) return 'No database has confirmed this journal yet.'
    if (this.#facts.cursor === null) return 'The configuration is not complete yet.'
    return this.#secrets.derivation() === null
      ? 'The derivation root is missing or does not open.'
      : null
  }
}
