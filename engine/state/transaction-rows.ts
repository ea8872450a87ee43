// The bytes of transactions: rows of one size outside the heap, used again when they are free. Only layout; what a row means to
// others stands in transactions.ts.
import { assert } from '../../shared/assert.ts'
import { SUM_NAMES, type Sums } from '../../shared/transaction-sums.ts'

/** One window set an amount is counted in: the meter's number and the local day, or the moment of a rolling window. */
export interface Place {
  meter: number
  day: number
}

/** Minor units of a currency. */
export interface Money {
  cents: number
  currency: string
}

/** No row. */
export const NONE = 0xffff_ffff

const LINK_AT = 0
const TRANSACTION_AT = 16
const ID_BYTES = 16
const SUMS_AT = 32
const RECEIVED_AT = 112
const EXPIRES_AT = 120
const TOUCHED_AT = 128
const FLAGS_AT = 136
const SEQUENCE_AT = 140
const PLACE_COUNT_AT = 144
const KEY_COUNT_AT = 146
const MARK_AT = 148
const CURRENCY_AT = 149
const CURRENCY_BYTES = 3
const PLACES_AT = 152
/** Program, cardholder and card, each in UTC and the program's zone, and room for two more. */
const PLACES_INLINE = 8
const PLACE_BYTES = 8
const KEYS_AT = PLACES_AT + PLACES_INLINE * PLACE_BYTES
const KEYS_INLINE = 4
const KEY_BYTES = 8
const PREVIOUS_AT = KEYS_AT + KEYS_INLINE * KEY_BYTES
const NEXT_AT = PREVIOUS_AT + 4
const ASKED_AT = NEXT_AT + 4
const ROWS_PER_SLAB = 2048

/** Bytes of a row. */
export const ROW_BYTES = ASKED_AT + 8
/** The row is in use. */
export const USED = 1
/** Another transaction has taken the link over: this one is found by its id. */
export const SUPERSEDED = 2
/** Chosen: so many facts of one transaction are told from repeats for ever; of more, the latest. */
const KEYS_MAX = 1000

export class TransactionRows {
  readonly #slabs: Buffer[] = []
  /** Places and keys beyond the inline ones, by row; both are rare. */
  readonly #morePlaces = new Map<number, readonly Place[]>()
  readonly #moreKeys = new Map<number, string[]>()
  #free = NONE
  #end = 0

  /** Rows that ever were in use: each is below this number. */
  get end(): number {
    return this.#end
  }

  /** A row of zeros. */
  take(): number {
    const free = this.#free
    if (free !== NONE) {
      this.#free = this.#slab(free).readUInt32LE(at(free) + NEXT_AT)
      this.#slab(free).fill(0, at(free), at(free) + ROW_BYTES)
      return free
    }
    const row = this.#end++
    if (row % ROWS_PER_SLAB === 0) this.#slabs.push(Buffer.alloc(ROW_BYTES * ROWS_PER_SLAB))
    return row
  }

  /** Gives a row back. */
  give(row: number): void {
    this.#morePlaces.delete(row)
    this.#moreKeys.delete(row)
    this.setMarks(row, 0)
    this.setNext(row, this.#free)
    this.#free = row
  }

  /** The first or second half of the link's first 8 bytes: evenly spread. */
  linkWord(row: number, offset: 0 | 4): number {
    return this.#slab(row).readUInt32LE(at(row) + LINK_AT + offset)
  }

  hasLink(row: number, link: Buffer): boolean {
    const from = at(row) + LINK_AT
    return this.#slab(row).compare(link, 0, ID_BYTES, from, from + ID_BYTES) === 0
  }

  hasTransaction(row: number, transaction: Buffer): boolean {
    const from = at(row) + TRANSACTION_AT
    return this.#slab(row).compare(transaction, 0, ID_BYTES, from, from + ID_BYTES) === 0
  }

  link(row: number): Buffer {
    return Buffer.from(this.#slab(row).subarray(at(row), at(row) + ID_BYTES))
  }

  transaction(row: number): Buffer {
    const from = at(row) + TRANSACTION_AT
    return Buffer.from(this.#slab(row).subarray(from, from + ID_BYTES))
  }

  name(row: number, link: Buffer, transaction: Buffer): void {
    assert(link.length === ID_BYTES && transaction.length === ID_BYTES, 'ids of 16 bytes')
    this.#slab(row).set(link, at(row) + LINK_AT)
    this.#slab(row).set(transaction, at(row) + TRANSACTION_AT)
  }

  sums(row: number): Sums {
    const sums: Partial<Sums> = {}
    for (let index = 0; index < SUM_NAMES.length; index++) {
      const name = SUM_NAMES[index] as keyof Sums
      sums[name] = this.#slab(row).readDoubleLE(at(row) + SUMS_AT + index * 8)
    }
    return sums as Sums
  }

  setSums(row: number, sums: Sums): void {
    for (let index = 0; index < SUM_NAMES.length; index++) {
      const sum = sums[SUM_NAMES[index] as keyof Sums]
      assert(Number.isSafeInteger(sum), 'a sum in minor units')
      this.#slab(row).writeDoubleLE(sum, at(row) + SUMS_AT + index * 8)
    }
  }

  receivedAtMs(row: number): number {
    return this.#slab(row).readDoubleLE(at(row) + RECEIVED_AT)
  }

  setReceivedAtMs(row: number, moment: number): void {
    this.#slab(row).writeDoubleLE(moment, at(row) + RECEIVED_AT)
  }

  expiresAtMs(row: number): number {
    return this.#slab(row).readDoubleLE(at(row) + EXPIRES_AT)
  }

  setExpiresAtMs(row: number, moment: number): void {
    this.#slab(row).writeDoubleLE(moment, at(row) + EXPIRES_AT)
  }

  touchedAtMs(row: number): number {
    return this.#slab(row).readDoubleLE(at(row) + TOUCHED_AT)
  }

  setTouchedAtMs(row: number, moment: number): void {
    this.#slab(row).writeDoubleLE(moment, at(row) + TOUCHED_AT)
  }

  flags(row: number): number {
    return this.#slab(row).readUInt32LE(at(row) + FLAGS_AT)
  }

  setFlags(row: number, flags: number): void {
    this.#slab(row).writeUInt32LE(flags, at(row) + FLAGS_AT)
  }

  sequence(row: number): number {
    return this.#slab(row).readUInt32LE(at(row) + SEQUENCE_AT)
  }

  setSequence(row: number, sequence: number): void {
    this.#slab(row).writeUInt32LE(sequence, at(row) + SEQUENCE_AT)
  }

  /** What was approved in a currency other than the card's, in that currency; or null. */
  asked(row: number): Money | null {
    const cents = this.#slab(row).readDoubleLE(at(row) + ASKED_AT)
    if (cents === 0) return null
    const from = at(row) + CURRENCY_AT
    return { cents, currency: this.#slab(row).toString('latin1', from, from + CURRENCY_BYTES) }
  }

  setAsked(row: number, asked: Money | null): void {
    const { cents, currency } = asked ?? { cents: 0, currency: '   ' }
    this.#slab(row).writeDoubleLE(cents, at(row) + ASKED_AT)
    this.#slab(row).write(currency, at(row) + CURRENCY_AT, CURRENCY_BYTES, 'latin1')
  }

  /** USED, SUPERSEDED and the list the row is in, as bits. */
  marks(row: number): number {
    return this.#slab(row)[at(row) + MARK_AT] as number
  }

  setMarks(row: number, marks: number): void {
    this.#slab(row)[at(row) + MARK_AT] = marks
  }

  previous(row: number): number {
    return this.#slab(row).readUInt32LE(at(row) + PREVIOUS_AT)
  }

  setPrevious(row: number, previous: number): void {
    this.#slab(row).writeUInt32LE(previous, at(row) + PREVIOUS_AT)
  }

  next(row: number): number {
    return this.#slab(row).readUInt32LE(at(row) + NEXT_AT)
  }

  setNext(row: number, next: number): void {
    this.#slab(row).writeUInt32LE(next, at(row) + NEXT_AT)
  }

  places(row: number): Place[] {
    const bytes = this.#slab(row)
    const count = bytes.readUInt16LE(at(row) + PLACE_COUNT_AT)
    const places: Place[] = []
    for (let index = 0; index < Math.min(count, PLACES_INLINE); index++) {
      const from = at(row) + PLACES_AT + index * PLACE_BYTES
      places.push({ meter: bytes.readUInt32LE(from), day: bytes.readUInt32LE(from + 4) })
    }
    if (count > PLACES_INLINE) places.push(...(this.#morePlaces.get(row) ?? []))
    assert(places.length === count, 'a transaction lost places')
    return places
  }

  setPlaces(row: number, places: readonly Place[]): void {
    const bytes = this.#slab(row)
    bytes.writeUInt16LE(places.length, at(row) + PLACE_COUNT_AT)
    for (let index = 0; index < Math.min(places.length, PLACES_INLINE); index++) {
      const { meter, day } = places[index] as Place
      const from = at(row) + PLACES_AT + index * PLACE_BYTES
      bytes.writeUInt32LE(meter, from)
      bytes.writeUInt32LE(day, from + 4)
    }
    if (places.length > PLACES_INLINE) this.#morePlaces.set(row, places.slice(PLACES_INLINE))
    else this.#morePlaces.delete(row)
  }

  /** True when a message with this key was applied to the transaction. */
  hasKey(row: number, key: Buffer): boolean {
    const bytes = this.#slab(row)
    const inline = Math.min(bytes.readUInt16LE(at(row) + KEY_COUNT_AT), KEYS_INLINE)
    for (let index = 0; index < inline; index++) {
      const from = at(row) + KEYS_AT + index * KEY_BYTES
      if (bytes.compare(key, 0, KEY_BYTES, from, from + KEY_BYTES) === 0) return true
    }
    return this.#moreKeys.get(row)?.includes(prefixText(key)) ?? false
  }

  hasKeys(row: number): boolean {
    return this.#slab(row).readUInt16LE(at(row) + KEY_COUNT_AT) > 0
  }

  addKey(row: number, key: Buffer): void {
    const bytes = this.#slab(row)
    const count = bytes.readUInt16LE(at(row) + KEY_COUNT_AT)
    if (count < KEYS_INLINE) {
      key.copy(bytes, at(row) + KEYS_AT + count * KEY_BYTES, 0, KEY_BYTES)
      bytes.writeUInt16LE(count + 1, at(row) + KEY_COUNT_AT)
      return
    }
    const more = this.#moreKeys.get(row) ?? []
    more.push(prefixText(key))
    if (more.length > KEYS_MAX) more.shift()
    this.#moreKeys.set(row, more)
  }

  /** A row as it lies in memory, for a snapshot. The bytes are the row's own. */
  bytes(row: number): Buffer {
    return this.#slab(row).subarray(at(row), at(row) + ROW_BYTES)
  }

  /** What does not fit into a row's bytes, or null. */
  overflow(row: number): RowOverflow | null {
    const [places, keys] = [this.#morePlaces.get(row), this.#moreKeys.get(row)]
    if (places === undefined && keys === undefined) return null
    return { places: places ?? [], keys: keys ?? [] }
  }

  /** Puts a kept row into a new one. */
  restore(bytes: Buffer, overflow: RowOverflow | null): number {
    const row = this.take()
    bytes.copy(this.#slab(row), at(row))
    if (overflow !== null && overflow.places.length > 0) this.#morePlaces.set(row, overflow.places)
    if (overflow !== null && overflow.keys.length > 0) this.#moreKeys.set(row, [...overflow.keys])
    return row
  }

  #slab(row: number): Buffer {
    return this.#slabs[Math.floor(row / ROWS_PER_SLAB)] as Buffer
  }
}

export interface RowOverflow {
  places: readonly Place[]
  keys: readonly string[]
}

function at(row: number): number {
  return (row % ROWS_PER_SLAB) * ROW_BYTES
}

function prefixText(key: Buffer): string {
  return key.toString('latin1', 0, KEY_BYTES)
}
