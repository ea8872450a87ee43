// Open holds: what an approval promised and in which windows it counts, in order of receipt. Packed outside the heap.
import { assert } from '../../shared/assert.ts'

/** One window set an amount is counted in: the meter's number and the local day of the authorization. */
export interface Place {
  meter: number
  day: number
}

export interface Hold {
  /** 16 bytes of the transaction's id. */
  transaction: Buffer
  amount: number
  receivedAtMs: number
  places: readonly Place[]
}

/** Program, cardholder and card, each in UTC and the program's zone, and room for two more zones of limits. */
const PLACES_INLINE = 8
const AMOUNT_AT = 16
const RECEIVED_AT = 24
const COUNT_AT = 32
const PLACES_AT = 36
const PLACE_BYTES = 8
const ROW_BYTES = PLACES_AT + PLACES_INLINE * PLACE_BYTES
const ROWS_PER_SLAB = 16_384

export class Holds {
  readonly #slabs: Buffer[] = []
  /** Places beyond the inline ones, by row; limits in many zones are rare. */
  readonly #more = new Map<number, readonly Place[]>()
  #begin = 0
  #end = 0

  get size(): number {
    return this.#end - this.#begin
  }

  add(hold: Hold): void {
    const row = this.#end++
    const slab = Math.floor(row / ROWS_PER_SLAB)
    if (slab === this.#slabs.length)
      this.#slabs.push(Buffer.allocUnsafeSlow(ROW_BYTES * ROWS_PER_SLAB))
    const bytes = this.#slabs[slab] as Buffer
    const at = (row % ROWS_PER_SLAB) * ROW_BYTES
    hold.transaction.copy(bytes, at, 0, 16)
    bytes.writeDoubleLE(hold.amount, at + AMOUNT_AT)
    bytes.writeDoubleLE(hold.receivedAtMs, at + RECEIVED_AT)
    bytes.writeUInt32LE(hold.places.length, at + COUNT_AT)
    const inline = Math.min(hold.places.length, PLACES_INLINE)
    for (let index = 0; index < inline; index++) {
      const place = hold.places[index] as Place
      bytes.writeUInt32LE(place.meter, at + PLACES_AT + index * PLACE_BYTES)
      bytes.writeUInt32LE(place.day, at + PLACES_AT + index * PLACE_BYTES + 4)
    }
    if (hold.places.length > inline) this.#more.set(row, hold.places.slice(inline))
  }

  /** Open holds, oldest first. */
  *rows(): Iterable<Hold> {
    for (let row = this.#begin; row < this.#end; row++) yield this.#read(row)
  }

  /** Forgets at most `rowsMax` holds received before a moment; their amounts stay counted. Returns how many. */
  expire(beforeMs: number, rowsMax: number): number {
    let gone = 0
    while (gone < rowsMax && this.#begin < this.#end) {
      const bytes = this.#slabs[Math.floor(this.#begin / ROWS_PER_SLAB)] as Buffer
      if (bytes.readDoubleLE((this.#begin % ROWS_PER_SLAB) * ROW_BYTES + RECEIVED_AT) >= beforeMs)
        break
      this.#more.delete(this.#begin++)
      gone += 1
      if (this.#begin % ROWS_PER_SLAB === 0) this.#slabs[this.#begin / ROWS_PER_SLAB - 1] = EMPTY
    }
    return gone
  }

  /** Whole rows as they lie in memory, oldest first, for a snapshot. */
  *slabs(): Iterable<Buffer> {
    for (let row = this.#begin; row < this.#end; ) {
      const until = Math.min(this.#end, (Math.floor(row / ROWS_PER_SLAB) + 1) * ROWS_PER_SLAB)
      const bytes = this.#slabs[Math.floor(row / ROWS_PER_SLAB)] as Buffer
      const from = (row % ROWS_PER_SLAB) * ROW_BYTES
      yield bytes.subarray(from, from + (until - row) * ROW_BYTES)
      row = until
    }
  }

  /** Places beyond the inline ones, as [rows after the oldest hold, places]. */
  overflow(): [number, readonly Place[]][] {
    return [...this.#more].map(([row, places]) => [row - this.#begin, places])
  }

  /** Puts kept rows back behind those already here; the overflow of the first row is `overflow` key 0. */
  restore(rows: Buffer, overflow: ReadonlyMap<number, readonly Place[]>): void {
    for (let from = 0; from < rows.length; from += ROW_BYTES) {
      const more = overflow.get(this.#end - this.#begin)
      if (more !== undefined) this.#more.set(this.#end, more)
      rows.copy(
        this.#slot(this.#end),
        (this.#end % ROWS_PER_SLAB) * ROW_BYTES,
        from,
        from + ROW_BYTES,
      )
      this.#end += 1
    }
  }

  #slot(row: number): Buffer {
    const slab = Math.floor(row / ROWS_PER_SLAB)
    if (slab === this.#slabs.length)
      this.#slabs.push(Buffer.allocUnsafeSlow(ROW_BYTES * ROWS_PER_SLAB))
    return this.#slabs[slab] as Buffer
  }

  #read(row: number): Hold {
    const bytes = this.#slabs[Math.floor(row / ROWS_PER_SLAB)] as Buffer
    const at = (row % ROWS_PER_SLAB) * ROW_BYTES
    const count = bytes.readUInt32LE(at + COUNT_AT)
    const places: Place[] = []
    for (let index = 0; index < Math.min(count, PLACES_INLINE); index++) {
      const from = at + PLACES_AT + index * PLACE_BYTES
      places.push({ meter: bytes.readUInt32LE(from), day: bytes.readUInt32LE(from + 4) })
    }
    places.push(...(this.#more.get(row) ?? []))
    assert(places.length === count, 'a hold lost places')
    return {
      transaction: Buffer.from(bytes.subarray(at, at + 16)),
      amount: bytes.readDoubleLE(at + AMOUNT_AT),
      receivedAtMs: bytes.readDoubleLE(at + RECEIVED_AT),
      places,
    }
  }
}

const EMPTY = Buffer.alloc(0)
