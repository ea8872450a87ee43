// The bytes of transactions: rows of one size outside the heap, reused when free. Only layout;
// transactions.ts defines the meaning of a row.
import { assert } from '../../shared/assert.ts'
import { type EarlyReversals, SUM_NAMES, type Sums } from '../../shared/transaction-sums.ts'
import { RowMemory } from '../memory/row-memory.ts'
import { KEY_BYTES, prefixText, type RowOverflow, withKey } from './row-overflow.ts'
import type { Money, WindowRef } from './window-ref.ts'

/** No row. */
export const NONE = 0xffff_ffff

/** The link comes first. */
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
/** Program, cardholder and card, each in UTC and the program's zone, and two spare places. */
const PLACES_INLINE = 8
const PLACE_BYTES = 8
const DAY_AT = 4
const KEYS_AT = PLACES_AT + PLACES_INLINE * PLACE_BYTES
const KEYS_INLINE = 4
const PREVIOUS_AT = KEYS_AT + KEYS_INLINE * KEY_BYTES
const NEXT_AT = PREVIOUS_AT + 4
const ASKED_AT = NEXT_AT + 4
const WORD_BYTES = 4
const DOUBLE_BYTES = 8

/** Bytes of a row. */
export const ROW_BYTES = ASKED_AT + 8
/** The row is in use. */
export const USED = 1
/** Another transaction has taken the link over: this one is found by its id. */
export const SUPERSEDED = 2

export class TransactionRows {
  readonly #memory = new RowMemory(ROW_BYTES)
  /** Places and keys beyond the inline ones, by row; both are rare. */
  readonly #morePlaces = new Map<number, readonly WindowRef[]>()
  readonly #moreKeys = new Map<number, string[]>()
  /** Reversals that wait for their capture or refund, by row; rare. */
  readonly #early = new Map<number, EarlyReversals>()
  #free = NONE
  #end = 0

  /** Number of rows ever used: each row number is below it. */
  get end(): number {
    return this.#end
  }

  /** Returns a row of zeros. */
  take(): number {
    const free = this.#free
    if (free !== NONE) {
      this.#free = this.#memory.word(free, NEXT_AT)
      this.#memory.bytes(free).fill(0, this.#memory.at(free), this.#memory.at(free) + ROW_BYTES)
      return free
    }
    const row = this.#end++
    this.#memory.reach(row)
    return row
  }

  /** Frees a row. */
  give(row: number): void {
    this.#morePlaces.delete(row)
    this.#moreKeys.delete(row)
    this.#early.delete(row)
    this.setMarks(row, 0)
    this.setNext(row, this.#free)
    this.#free = row
  }

  /** The first or second word of the link: evenly spread. */
  linkWord(row: number, word: 0 | 1): number {
    return this.#memory.word(row, word * WORD_BYTES)
  }

  hasLink(row: number, link: Buffer): boolean {
    return this.#memory.holds(row, 0, link)
  }

  hasTransaction(row: number, transaction: Buffer): boolean {
    return this.#memory.holds(row, TRANSACTION_AT, transaction)
  }

  link(row: number): Buffer {
    return Buffer.from(
      this.#memory.bytes(row).subarray(this.#memory.at(row), this.#memory.at(row) + ID_BYTES),
    )
  }

  transaction(row: number): Buffer {
    const from = this.#memory.at(row) + TRANSACTION_AT
    return Buffer.from(this.#memory.bytes(row).subarray(from, from + ID_BYTES))
  }

  name(row: number, link: Buffer, transaction: Buffer): void {
    assert(link.length === ID_BYTES && transaction.length === ID_BYTES, 'ids of 16 bytes')
    this.#memory.bytes(row).set(link, this.#memory.at(row))
    this.#memory.bytes(row).set(transaction, this.#memory.at(row) + TRANSACTION_AT)
  }

  /** In the order of SUM_NAMES, as `setSums` wrote them. */
  sums(row: number): Sums {
    const sum = (place: number): number => this.#memory.double(row, SUMS_AT + place * DOUBLE_BYTES)
    return {
      authorized: sum(0),
      incremented: sum(1),
      adjusted: sum(2),
      reversed: sum(3),
      expired: sum(4),
      released: sum(5),
      captured: sum(6),
      captureReversed: sum(7),
      refunded: sum(8),
      refundReversed: sum(9),
    }
  }

  setSums(row: number, sums: Sums): void {
    for (let index = 0; index < SUM_NAMES.length; index++) {
      const sum = sums[SUM_NAMES[index] as keyof Sums]
      assert(Number.isSafeInteger(sum), 'a sum in minor units')
      this.#memory.setDouble(row, SUMS_AT + index * DOUBLE_BYTES, sum)
    }
  }

  /** Reversals that wait for their capture or refund; null where none waits. */
  early(row: number): EarlyReversals | null {
    return this.#early.size === 0 ? null : (this.#early.get(row) ?? null)
  }

  setEarly(row: number, early: EarlyReversals | null): void {
    if (early !== null) this.#early.set(row, early)
    else if (this.#early.size > 0) this.#early.delete(row)
  }

  receivedAtMs(row: number): number {
    return this.#memory.double(row, RECEIVED_AT)
  }

  setReceivedAtMs(row: number, moment: number): void {
    this.#memory.setDouble(row, RECEIVED_AT, moment)
  }

  expiresAtMs(row: number): number {
    return this.#memory.double(row, EXPIRES_AT)
  }

  setExpiresAtMs(row: number, moment: number): void {
    this.#memory.setDouble(row, EXPIRES_AT, moment)
  }

  touchedAtMs(row: number): number {
    return this.#memory.double(row, TOUCHED_AT)
  }

  setTouchedAtMs(row: number, moment: number): void {
    this.#memory.setDouble(row, TOUCHED_AT, moment)
  }

  flags(row: number): number {
    return this.#memory.word(row, FLAGS_AT)
  }

  setFlags(row: number, flags: number): void {
    this.#memory.setWord(row, FLAGS_AT, flags)
  }

  sequence(row: number): number {
    return this.#memory.word(row, SEQUENCE_AT)
  }

  setSequence(row: number, sequence: number): void {
    this.#memory.setWord(row, SEQUENCE_AT, sequence)
  }

  /** Approved amount in a currency other than the card's, in that currency; or null. */
  asked(row: number): Money | null {
    const cents = this.#memory.double(row, ASKED_AT)
    if (cents === 0) return null
    const from = this.#memory.at(row) + CURRENCY_AT
    return {
      cents,
      currency: this.#memory.bytes(row).toString('latin1', from, from + CURRENCY_BYTES),
    }
  }

  setAsked(row: number, asked: Money | null): void {
    const { cents, currency } = asked ?? { cents: 0, currency: '   ' }
    this.#memory.setDouble(row, ASKED_AT, cents)
    this.#memory
      .bytes(row)
      .write(currency, this.#memory.at(row) + CURRENCY_AT, CURRENCY_BYTES, 'latin1')
  }

  /** USED, SUPERSEDED and the row's list, as bits. */
  marks(row: number): number {
    return this.#memory.bytes(row)[this.#memory.at(row) + MARK_AT] as number
  }

  setMarks(row: number, marks: number): void {
    this.#memory.bytes(row)[this.#memory.at(row) + MARK_AT] = marks
  }

  previous(row: number): number {
    return this.#memory.word(row, PREVIOUS_AT)
  }

  setPrevious(row: number, previous: number): void {
    this.#memory.setWord(row, PREVIOUS_AT, previous)
  }

  next(row: number): number {
    return this.#memory.word(row, NEXT_AT)
  }

  setNext(row: number, next: number): void {
    this.#memory.setWord(row, NEXT_AT, next)
  }

  places(row: number): WindowRef[] {
    const count = this.#memory.bytes(row).readUInt16LE(this.#memory.at(row) + PLACE_COUNT_AT)
    const places: WindowRef[] = []
    for (let index = 0; index < Math.min(count, PLACES_INLINE); index++) {
      const from = PLACES_AT + index * PLACE_BYTES
      const [meter, day] = [this.#memory.word(row, from), this.#memory.word(row, from + DAY_AT)]
      places.push({ meter, day })
    }
    if (count > PLACES_INLINE) places.push(...(this.#morePlaces.get(row) ?? []))
    assert(places.length === count, 'a transaction lost places')
    return places
  }

  setPlaces(row: number, places: readonly WindowRef[]): void {
    this.#memory.bytes(row).writeUInt16LE(places.length, this.#memory.at(row) + PLACE_COUNT_AT)
    for (let index = 0; index < Math.min(places.length, PLACES_INLINE); index++) {
      const { meter, day } = places[index] as WindowRef
      this.#memory.setWord(row, PLACES_AT + index * PLACE_BYTES, meter)
      this.#memory.setWord(row, PLACES_AT + index * PLACE_BYTES + DAY_AT, day)
    }
    if (places.length > PLACES_INLINE) this.#morePlaces.set(row, places.slice(PLACES_INLINE))
    else this.#morePlaces.delete(row)
  }

  /** True when a message with this key was applied to the transaction. */
  hasKey(row: number, key: Buffer): boolean {
    const inline = Math.min(this.#keyCount(row), KEYS_INLINE)
    const prefix = key.subarray(0, KEY_BYTES)
    for (let index = 0; index < inline; index++)
      if (this.#memory.holds(row, KEYS_AT + index * KEY_BYTES, prefix)) return true
    return this.#moreKeys.get(row)?.includes(prefixText(key)) ?? false
  }

  hasKeys(row: number): boolean {
    return this.#keyCount(row) > 0
  }

  addKey(row: number, key: Buffer): void {
    const [count, bytes, at] = [this.#keyCount(row), this.#memory.bytes(row), this.#memory.at(row)]
    if (count < KEYS_INLINE) {
      key.copy(bytes, at + KEYS_AT + count * KEY_BYTES, 0, KEY_BYTES)
      bytes.writeUInt16LE(count + 1, at + KEY_COUNT_AT)
      return
    }
    this.#moreKeys.set(row, withKey(this.#moreKeys.get(row) ?? [], key))
  }

  /** A row as it lies in memory, for a snapshot. The bytes are the row's own. */
  bytes(row: number): Buffer {
    return this.#memory.bytes(row).subarray(this.#memory.at(row), this.#memory.at(row) + ROW_BYTES)
  }

  /** Data that does not fit into a row's bytes, or null. */
  overflow(row: number): RowOverflow | null {
    const [places, keys] = [this.#morePlaces.get(row), this.#moreKeys.get(row)]
    const early = this.early(row)
    if (places === undefined && keys === undefined && early === null) return null
    return { places: places ?? [], keys: keys ?? [], early }
  }

  /** Restores a stored row into a new one. */
  restore(bytes: Buffer, overflow: RowOverflow | null): number {
    const row = this.take()
    bytes.copy(this.#memory.bytes(row), this.#memory.at(row))
    if (overflow !== null) {
      if (overflow.places.length > 0) this.#morePlaces.set(row, overflow.places)
      if (overflow.keys.length > 0) this.#moreKeys.set(row, [...overflow.keys])
      this.setEarly(row, overflow.early ?? null)
    }
    return row
  }

  #keyCount(row: number): number {
    return this.#memory.bytes(row).readUInt16LE(this.#memory.at(row) + KEY_COUNT_AT)
  }
}
