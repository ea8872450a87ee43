// Which merchant a locked control belongs to: that of the first authorization approved under it. Set by the journal like
// every other state: a decision names the use windows it counts in, and its message the merchant.
import type { DecisionEntry } from '../../shared/wire/journal-entry.ts'

const USE = 'use:'

/**
 * Currency of a use window: of no currency, because there only authorizations are counted. Its amounts mix and mean nothing.
 */
export const USE_CURRENCY = 'XXX'

/**
 * Filter of the windows that count authorizations approved under one control, for single use, a lock and an end after so many.
 * Chosen: they begin when the control does; an authorization given back whole is none, as everywhere, but its lock stays.
 */
export function useFilter(controlId: string): string {
  return USE + controlId
}

/** A subject's control and the merchant it is locked to. */
export type UsageRow = readonly [key: string, merchantId: string]

export class Usage {
  readonly #merchants = new Map<string, string>()

  /** The merchant that a subject's control is locked to, or null before the first approval. */
  lockedMerchant(subject: string, filter: string): string | null {
    return this.#merchants.get(subject + ' ' + filter) ?? null
  }

  /** What a decision changes: the first approval under a control locks it. */
  apply(entry: DecisionEntry): void {
    if (!entry.decision.approved) return
    for (const [subject, , , , filter] of entry.decision.meters) {
      if (filter === undefined || !filter.startsWith(USE)) continue
      const key = subject + ' ' + filter
      if (!this.#merchants.has(key)) this.#merchants.set(key, entry.message.merchantId)
    }
  }

  /** Every lock, for a snapshot. */
  rows(): Iterable<UsageRow> {
    return this.#merchants
  }

  /** Puts a kept row back. */
  restore([key, merchantId]: UsageRow): void {
    this.#merchants.set(key, merchantId)
  }
}
