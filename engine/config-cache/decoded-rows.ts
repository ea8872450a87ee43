// Rows kept as objects, so that the config records of a card in use cost no read of the map and no
// decoding. Kind and id are two keys, because a string that is concatenated for a look-up is copied
// and hashed each time.
import { SecondChanceCache } from '../memory/second-chance-cache.ts'
import type { RowKind } from './keys.ts'
import type { Stored } from './stored.ts'

/**
 * Rows of one kind. Those of cards and cardholders take about a kilobyte each, so all kinds
 * together stay below a hundred megabytes.
 */
const ROWS_MAX = 24_576
/** Remembered names of rows that were read once. */
const NAMES_MAX = 32_768

/** Null for a key that is known to have no row. */
type Row = Stored | null

export class DecodedRows {
  readonly #kinds = new Map<RowKind, SecondChanceCache<Row>>()

  /** The row, null if there is none, undefined if it must be read. */
  get(kind: RowKind, id: string): Row | undefined {
    return this.#kinds.get(kind)?.get(id)
  }

  /** Keeps a row that `get` did not find, once it is read again. */
  set(kind: RowKind, id: string, row: Row): void {
    let rows = this.#kinds.get(kind)
    if (rows === undefined) {
      rows = new SecondChanceCache(ROWS_MAX, NAMES_MAX)
      this.#kinds.set(kind, rows)
    }
    rows.set(id, row)
  }

  /** The row has changed: it must be read again. */
  forget(kind: RowKind, id: string): void {
    this.#kinds.get(kind)?.forget(id)
  }
}
