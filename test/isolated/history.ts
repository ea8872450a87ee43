// Reads the journal of a story's own engine as everybody else would see it: through the code that
// copies the journal into the database.
import { type Announcement, batchOf } from '../../api/engine-link/batch.ts'
import { type DrainedEntry, drainedEntry } from '../../api/engine-link/drained-entry.ts'
import type { Document } from '../../scripts/simulate/api.ts'
import { isDocument, valueAt } from '../../scripts/simulate/api.ts'
import { traceSteps } from '../../shared/rule-catalog.ts'

export class OwnHistory {
  readonly #entries: readonly DrainedEntry[]
  readonly #announcements: readonly Announcement[]

  constructor(journal: readonly Buffer[]) {
    this.#entries = journal.map((bytes, index) => drainedEntry({ seq: index + 1, bytes }))
    const stored = { messages: new Map(), lives: new Map(), originals: new Map() }
    const { announcements, refused } = batchOf(this.#entries, stored, new Map())
    const [first] = refused
    if (first !== undefined) throw new Error('entry ' + first.entry.seq + ': ' + first.error)
    this.#announcements = announcements
  }

  /** Types of the events about a transaction, in their order. */
  events(transactionId: string): string[] {
    return this.#of(transactionId).map(({ type }) => type.slice('card.transaction.'.length))
  }

  /** The `sequence` of each event. */
  sequences(transactionId: string): unknown[] {
    return this.#of(transactionId).map(({ data }) => valueAt(data(), 'transaction', 'sequence'))
  }

  /** The transaction in its public shape, as it is now; null where there is none. */
  transaction(transactionId: string): Document | null {
    const shown = valueAt(this.#of(transactionId).at(-1)?.data(), 'transaction')
    return isDocument(shown) ? shown : null
  }

  /** The inputs of a rule for one message, in the order of its checks. */
  looked(messageId: string, ruleId: string): Document[] {
    const entry = this.#entries.find(
      (drained) => drained.to === 'card_transactions' && drained.entry.message.id === messageId,
    )
    if (entry?.to !== 'card_transactions') return []
    const steps = traceSteps(entry.entry.trace)
    return steps.filter(({ rule_id: id }) => id === ruleId).map(({ inputs }) => inputs)
  }

  /** Cards that a fraud rule stopped, with its name. */
  stopped(): string[] {
    return this.#entries.flatMap((drained) => (drained.to === 'cards' ? [drained.entry.rule] : []))
  }

  #of(transactionId: string): Announcement[] {
    return this.#announcements.filter(({ resourceId }) => resourceId === transactionId)
  }
}
