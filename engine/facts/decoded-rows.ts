// Rows kept as objects, so that the facts of a card in use cost no read of the map and no decoding. By kind and id, not by the key
// of both: a text that is put together for a look-up is copied and hashed each time.
import { KeptLately } from '../kept-lately.ts'
import type { RowKind } from './keys.ts'
import type { Stored } from './stored.ts'

/** Rows of a kind. Those of cards and cardholders are about a kilobyte each, so all together stay below a hundred megabytes. */
const ROWS_MAX = 24_576
/** Rows of a kind that were asked for once, of which so many are remembered. */
const NAMES_MAX = 32_768

/** Null where a key is known to have no row. */
type Row = Stored | null

export class DecodedRows {
  readonly #kinds = new Map<RowKind, KeptLately<Row>>()

  /** The row, null where there is none, undefined where it must be read. */
  get(kind: RowKind, id: string): Row | undefined {
    return this.#kinds.get(kind)?.get(id)
  }

  /** Keeps a row that `get` did not find, where it is asked for again. */
  set(kind: RowKind, id: string, row: Row): void {
    let rows = this.#kinds.get(kind)
    if (rows === undefined) {
      rows = new KeptLately(ROWS_MAX, NAMES_MAX)
      this.#kinds.set(kind, rows)
    }
    rows.set(id, row)
  }

  /** The row has changed: it must be read again. */
  forget(kind: RowKind, id: string): void {
    this.#kinds.get(kind)?.forget(id)
  }
}
