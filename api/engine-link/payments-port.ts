// The domain of payments as the drain sees it: the drain hands journal entries of payment accounts
// to it and writes none of them itself.
import type { TxSql } from '../database/transaction.ts'
import type { RefusedEntry } from './batch.ts'
import type { PaymentEntry } from './drained-entry.ts'

export interface PaymentsPort {
  /**
   * Applies entries in the journal's order, inside the drain's transaction. An entry whose effect a
   * call has applied already changes nothing. Returns the entries that no payment can take, for the
   * quarantine. Rejects with SQLSTATE 22… or 23…, or PoisonEntry, where the content of one of them
   * is at fault: the drain then looks for it.
   */
  applyEntries(sql: TxSql, entries: readonly PaymentEntry[]): Promise<readonly RefusedEntry[]>
}

/** Quarantines every entry: for an api that takes no payments. */
export const NO_PAYMENTS: PaymentsPort = {
  async applyEntries(_sql, entries) {
    return entries.map((entry) => ({ entry, error: 'this api takes no payments' }))
  },
}
