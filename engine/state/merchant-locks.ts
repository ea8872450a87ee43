// The merchant of a locked control: that of the first authorization approved under it. The journal
// sets it like all other state: a decision names its use windows, and its message the merchant.
import type { DecisionEntry } from '../../shared/wire/journal-entry.ts'

const USE = 'use:'

/**
 * Currency of a use window: no currency, because the window only counts authorizations. Its amounts
 * mix and mean nothing.
 */
export const USE_CURRENCY = 'XXX'

/**
 * Returns the filter of the windows that count authorizations approved under one control, for
 * single use, a lock and a use limit. Chosen: they begin with the control; a fully reversed
 * authorization does not count, as everywhere, but its lock stays.
 */
export function useFilter(controlId: string): string {
  return USE + controlId
}

/** A subject's control and the merchant it is locked to. */
export type MerchantLockRow = readonly [key: string, merchantId: string]

export class MerchantLocks {
  readonly #merchants = new Map<string, string>()

  /** The merchant that a subject's control is locked to, or null before the first approval. */
  lockedMerchant(subject: string, filter: string): string | null {
    return this.#merchants.get(subject + ' ' + filter) ?? null
  }

  /** Applies a decision: the first approval under a control locks it. */
  apply(entry: DecisionEntry): void {
    if (!entry.decision.approved) return
    for (const [subject, , , , filter] of entry.decision.meters) {
      if (filter === undefined || !filter.startsWith(USE)) continue
      const key = subject + ' ' + filter
      if (!this.#merchants.has(key)) this.#merchants.set(key, entry.message.merchantId)
    }
  }

  /** Every lock, for a snapshot. */
  rows(): Iterable<MerchantLockRow> {
    return this.#merchants
  }

  /** Restores a stored row. */
  restore([key, merchantId]: MerchantLockRow): void {
    this.#merchants.set(key, merchantId)
  }
}
