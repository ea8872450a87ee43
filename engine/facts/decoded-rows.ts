// Rows kept as objects, so that the facts of a card in use cost no read of the map and no decoding. Two maps: what was looked
// up lately, and what was before; a full one becomes the older, and what nobody asked for meanwhile is gone with it.
import type { Stored } from './stored.ts'

/** Rows of one map. A row is about a kilobyte, so both together stay below a hundred megabytes. */
const ROWS_MAX = 49_152

/** Null where a key is known to have no row: most cards have controls on one of three levels. */
type Row = Stored | null

export class DecodedRows {
  readonly #rowsMax: number
  #lately = new Map<string, Row>()
  #before = new Map<string, Row>()

  /** Keeps the `rowsMax` rows asked for last, and at most as many again. */
  constructor(rowsMax: number = ROWS_MAX) {
    this.#rowsMax = rowsMax
  }

  /** The row, null where there is none, undefined where it must be read. */
  get(key: string): Row | undefined {
    const row = this.#lately.get(key)
    if (row !== undefined) return row
    const earlier = this.#before.get(key)
    if (earlier !== undefined) this.set(key, earlier)
    return earlier
  }

  set(key: string, row: Row): void {
    if (this.#lately.size >= this.#rowsMax) {
      this.#before = this.#lately
      this.#lately = new Map()
    }
    this.#lately.set(key, row)
  }

  /** The row has changed: it must be read again. */
  forget(key: string): void {
    this.#lately.delete(key)
    this.#before.delete(key)
  }
}
