// Rows kept as objects, so that the facts of a card in use cost no read of the map and no decoding. Two generations: what was
// looked up lately, and what was before; a full one becomes the older, and what nobody asked for meanwhile is gone with it. By
// kind and id, not by the key of both: a text that is put together for a look-up is copied and hashed each time.
import type { RowKind } from './keys.ts'
import type { Stored } from './stored.ts'

/** Rows of one generation. A row is about a kilobyte, so both together stay below a hundred megabytes. */
const ROWS_MAX = 49_152

/** Null where a key is known to have no row: most cards have controls on one of three levels. */
type Row = Stored | null

/** The rows of every kind, by id. */
type Rows = Map<RowKind, Map<string, Row>>

export class DecodedRows {
  readonly #rowsMax: number
  #lately: Rows = new Map()
  #before: Rows = new Map()
  /** Rows in `lately`. */
  #size = 0

  /** Keeps the `rowsMax` rows asked for last, and at most as many again. */
  constructor(rowsMax: number = ROWS_MAX) {
    this.#rowsMax = rowsMax
  }

  /** The row, null where there is none, undefined where it must be read. */
  get(kind: RowKind, id: string): Row | undefined {
    const row = this.#lately.get(kind)?.get(id)
    if (row !== undefined) return row
    const earlier = this.#before.get(kind)?.get(id)
    if (earlier !== undefined) this.set(kind, id, earlier)
    return earlier
  }

  /** Keeps a row that `get` did not find. */
  set(kind: RowKind, id: string, row: Row): void {
    if (this.#size >= this.#rowsMax) {
      this.#before = this.#lately
      this.#lately = new Map()
      this.#size = 0
    }
    let rows = this.#lately.get(kind)
    if (rows === undefined) {
      rows = new Map()
      this.#lately.set(kind, rows)
    }
    rows.set(id, row)
    this.#size += 1
  }

  /** The row has changed: it must be read again. */
  forget(kind: RowKind, id: string): void {
    if (this.#lately.get(kind)?.delete(id)) this.#size -= 1
    this.#before.get(kind)?.delete(id)
  }
}
