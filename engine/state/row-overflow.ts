// The rare parts of a transaction that do not fit into the bytes of its row.
import type { EarlyReversals } from '../../shared/transaction-sums.ts'
import type { WindowRef } from './window-ref.ts'

/** Bytes of a message key that a row keeps. */
export const KEY_BYTES = 8
/** Chosen: a transaction recognizes a repeat of its latest 1000 notifications for ever. */
const KEYS_MAX = 1000

export interface RowOverflow {
  places: readonly WindowRef[]
  keys: readonly string[]
  /**
   * Reversals that wait for their original; null without any. Absent in snapshots from before this
   * field.
   */
  early?: EarlyReversals | null
}

/** The keys with one more, without the oldest where they are too many. Changes the list. */
export function withKey(keys: string[], key: Buffer): string[] {
  keys.push(prefixText(key))
  if (keys.length > KEYS_MAX) keys.shift()
  return keys
}

/** Returns the prefix of a message key that a row keeps, as text. */
export function prefixText(key: Buffer): string {
  return key.toString('latin1', 0, KEY_BYTES)
}
