// Rows kept as objects, so that the facts of a card in use cost no read of the map and no decoding. Two generations: what was
// looked up lately, and what was before; a full one becomes the older, and what nobody asked for meanwhile is gone with it. What is
// asked for once is not kept at all. By kind and id, not by the key of both: a text that is put together for a look-up is copied
// and hashed each time.
import { SeenLately } from '../seen-lately.ts'
import type { RowKind } from './keys.ts'
import type { Stored } from './stored.ts'

/** Records of one generation. A record is about a kilobyte, so both together stay below a hundred megabytes. */
const RECORDS_MAX = 49_152
/** Rows of a kind that were asked for once, of which so many are remembered. */
const NAMES_MAX = 32_768
/** What a pointer takes of that, or that there is no row: little more than its id. */
const LIGHT = 1 / 4

/** Null where a key is known to have no row. */
type Row = Stored | null

/** The rows of every kind, by id. */
type Rows = Map<RowKind, Map<string, Row>>

export class DecodedRows {
  readonly #recordsMax: number
  #lately: Rows = new Map()
  #before: Rows = new Map()
  readonly #seen = new Map<RowKind, SeenLately>()
  /** Records in `lately`, and what the other rows weigh. */
  #weight = 0

  /** Keeps what was asked for last, `recordsMax` records or four times as many other rows, and at most as much again. */
  constructor(recordsMax: number = RECORDS_MAX) {
    this.#recordsMax = recordsMax
  }

  /** The row, null where there is none, undefined where it must be read. */
  get(kind: RowKind, id: string): Row | undefined {
    const row = this.#lately.get(kind)?.get(id)
    if (row !== undefined) return row
    const earlier = this.#before.get(kind)?.get(id)
    if (earlier !== undefined) this.#keep(kind, id, earlier)
    return earlier
  }

  /** Keeps a row that `get` did not find, where it is asked for again. */
  set(kind: RowKind, id: string, row: Row): void {
    if (this.#namesOf(kind).again(id)) this.#keep(kind, id, row)
  }

  #namesOf(kind: RowKind): SeenLately {
    let names = this.#seen.get(kind)
    if (names === undefined) {
      names = new SeenLately(NAMES_MAX)
      this.#seen.set(kind, names)
    }
    return names
  }

  #keep(kind: RowKind, id: string, row: Row): void {
    if (this.#weight >= this.#recordsMax) {
      this.#before = this.#lately
      this.#lately = new Map()
      this.#weight = 0
    }
    let rows = this.#lately.get(kind)
    if (rows === undefined) {
      rows = new Map()
      this.#lately.set(kind, rows)
    }
    rows.set(id, row)
    this.#weight += weightOf(row)
  }

  /** The row has changed: it must be read again. */
  forget(kind: RowKind, id: string): void {
    const rows = this.#lately.get(kind)
    const row = rows?.get(id)
    if (row !== undefined) this.#weight -= weightOf(row)
    rows?.delete(id)
    this.#before.get(kind)?.delete(id)
  }
}

function weightOf(row: Row): number {
  if (row === null || row.type === 'pointer') return LIGHT
  return row.type === 'subject' && row.own !== null && row.controls !== null ? 2 : 1
}
