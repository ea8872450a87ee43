// Rolling windows, packed outside the heap: the amount used in a span of seconds, up to 90 days.
// Every window is a list of entries (moment, amount, count) in order of time, in one store of
// reused rows.
//
// Up to ENTRIES_MAX entries the list is exact. A longer one is merged into 64 buckets, each dated
// at its last moment: an amount counts up to one bucket too long, never too short, so the error
// always declines. An empty list is exact again.
import { assert } from '../../shared/assert.ts'
import { offHeapMemory } from '../memory/off-heap-memory.ts'
import type { Counted } from './windows.ts'

/** A moment in tenths of a second since 2020, so that it fits 32 bits until 2033. */
export type Tenth = number

const ROLLING_ZONE = 'rolling:'
const EPOCH_MS = Date.UTC(2020, 0, 1)
const ENTRIES_MAX = 512
/** With this many whole buckets in its span, a window never touches more than 64. */
const SPAN_BUCKETS = 63

/** Fields of a window. */
const SPAN = 0
const LATEST = 1
const HEAD = 2
const TAIL = 3
const LENGTH = 4
const COARSE = 5
const USED = 6
const USED_COUNT = 7
const RESERVED = 8
const RESERVED_COUNT = 9
const FIELDS = 10
/** Integer fields of an entry. */
const MOMENT = 0
const COUNT = 1
const NEXT = 2
const ENTRY_FIELDS = 3
const ROWS_PER_SLAB = 4096
const [DOUBLE_BYTES, WORD_BYTES] = [8, 4]
/** No entry. */
const NONE = 0xffff_ffff

/** Returns the zone name of a window of this many seconds, used in place of a calendar zone. */
export function rollingZone(seconds: number): string {
  return ROLLING_ZONE + seconds
}

/** True for the zone of a rolling window. */
export function isRollingZone(zone: string): boolean {
  return zone.startsWith(ROLLING_ZONE)
}

/** Converts the moment to the unit of rolling windows. */
export function tenthOf(epochMs: number): Tenth {
  return Math.floor((epochMs - EPOCH_MS) / 100)
}

export class RollingWindows {
  readonly #windows: Float64Array[] = []
  readonly #amounts: Float64Array[] = []
  readonly #entries: Uint32Array[] = []
  #count = 0
  #entryCount = 0
  #free = NONE

  /** Opens a new window with nothing counted. */
  open(zone: string): number {
    const window = this.#count++
    if (window === this.#windows.length * ROWS_PER_SLAB)
      this.#windows.push(new Float64Array(offHeapMemory(ROWS_PER_SLAB * FIELDS * DOUBLE_BYTES)))
    // The real distance of two moments exceeds the distance of their tenths by less than a tenth.
    this.#set(window, SPAN, Number(zone.slice(ROLLING_ZONE.length)) * 10)
    this.#set(window, HEAD, NONE)
    this.#set(window, TAIL, NONE)
    return window
  }

  /** The amount of the span that ends now. */
  used(window: number, now: Tenth): number {
    this.#advance(window, now)
    return this.#get(window, USED)
  }

  usedCount(window: number, now: Tenth): number {
    this.#advance(window, now)
    return this.#get(window, USED_COUNT)
  }

  /** Reservations last seconds, so they need no moment of their own. */
  reserved(window: number): number {
    return this.#get(window, RESERVED)
  }

  reservedCount(window: number): number {
    return this.#get(window, RESERVED_COUNT)
  }

  /** Reads all four values at once. */
  read(window: number, now: Tenth, into: Counted): void {
    this.#advance(window, now)
    into.used = this.#get(window, USED)
    into.reserved = this.#get(window, RESERVED)
    into.usedCount = this.#get(window, USED_COUNT)
    into.reservedCount = this.#get(window, RESERVED_COUNT)
  }

  /** Adds to the reserved amount; a negative amount takes back. */
  reserve(window: number, amount: number, count: number): void {
    this.#add(window, RESERVED, amount)
    this.#add(window, RESERVED_COUNT, count)
  }

  /** Counts at a moment; a moment before the window's span no longer counts. */
  use(window: number, moment: Tenth, amount: number, count: number): void {
    this.#advance(window, moment)
    if (amount === 0 && count === 0) return
    // Skipped even if its bucket still exists: an amount that was dropped exactly must not be
    // subtracted from others.
    if (moment < this.#get(window, LATEST) - this.#get(window, SPAN)) return
    this.#put(window, this.#transaction(window, moment), amount, count)
    if (this.#get(window, LENGTH) > ENTRIES_MAX && this.#get(window, COARSE) === 0)
      this.#coarsen(window)
  }

  /** The latest moment seen by the window; 0 before the first. */
  latest(window: number): Tenth {
    return this.#get(window, LATEST)
  }

  /** Stored form of a window: 1 if it has buckets, then moment, amount and count of every entry. */
  values(window: number): number[] {
    const values = [this.#get(window, COARSE)]
    for (let entry = this.#get(window, HEAD); entry !== NONE; entry = this.#at(entry, NEXT))
      values.push(this.#at(entry, MOMENT), this.#amount(entry), this.#at(entry, COUNT))
    return values
  }

  /** Restores stored values into a new window. */
  restore(window: number, latest: Tenth, values: readonly number[]): void {
    this.#set(window, LATEST, latest)
    this.#set(window, COARSE, values[0] as number)
    for (let at = 1; at < values.length; at += 3)
      this.#put(window, values[at] as number, values[at + 1] as number, values[at + 2] as number)
  }

  /**
   * Returns the stored values that two counts of the same history must share. The oldest bucket may
   * differ: it depends on when each count dropped a moment.
   */
  comparable(window: number): number[] {
    const values = this.values(window)
    const coarse = values[0] === 1
    const from =
      this.#get(window, LATEST) - this.#get(window, SPAN) + (coarse ? this.#width(window) : 0)
    // An empty list has no first moment, so the comparison is false.
    while ((values[1] as number) < from) values.splice(1, 3)
    return values.slice(1)
  }

  /** Drops the entries before the span. */
  #advance(window: number, now: Tenth): void {
    const latest = Math.max(now, this.#get(window, LATEST))
    this.#set(window, LATEST, latest)
    const from = latest - this.#get(window, SPAN)
    for (;;) {
      const head = this.#get(window, HEAD)
      if (head === NONE || this.#at(head, MOMENT) >= from) return
      this.#add(window, USED, -this.#amount(head))
      this.#add(window, USED_COUNT, -this.#at(head, COUNT))
      this.#unlink(window, NONE, head)
    }
  }

  #put(window: number, moment: Tenth, amount: number, count: number): void {
    this.#add(window, USED, amount)
    this.#add(window, USED_COUNT, count)
    const before = this.#before(window, moment)
    const found = before === NONE ? this.#get(window, HEAD) : this.#at(before, NEXT)
    if (found === NONE || this.#at(found, MOMENT) !== moment) {
      assert(amount >= 0 && count >= 0, 'a rolling window gives back what it never had')
      this.#link(window, before, { moment, amount, count })
      return
    }
    const sum = this.#amount(found) + amount
    const number = this.#at(found, COUNT) + count
    assert(sum >= 0 && number >= 0, 'a rolling window fell below zero')
    if (sum === 0 && number === 0) return this.#unlink(window, before, found)
    this.#setAmount(found, sum)
    this.#setAt(found, COUNT, number)
  }

  /**
   * Returns the last entry before a moment, or none. It is nearly always the tail, or the one
   * before it.
   */
  #before(window: number, moment: Tenth): number {
    const tail = this.#get(window, TAIL)
    if (tail !== NONE && this.#at(tail, MOMENT) < moment) return tail
    let before = NONE
    let entry = this.#get(window, HEAD)
    while (entry !== NONE && this.#at(entry, MOMENT) < moment) {
      before = entry
      entry = this.#at(entry, NEXT)
    }
    return before
  }

  #link(
    window: number,
    before: number,
    { moment, amount, count }: { moment: Tenth; amount: number; count: number },
  ): void {
    const entry = this.#newEntry()
    this.#setAt(entry, MOMENT, moment)
    this.#setAt(entry, COUNT, count)
    this.#setAmount(entry, amount)
    const next = before === NONE ? this.#get(window, HEAD) : this.#at(before, NEXT)
    this.#setAt(entry, NEXT, next)
    if (before === NONE) this.#set(window, HEAD, entry)
    else this.#setAt(before, NEXT, entry)
    if (next === NONE) this.#set(window, TAIL, entry)
    this.#add(window, LENGTH, 1)
  }

  #unlink(window: number, before: number, entry: number): void {
    const next = this.#at(entry, NEXT)
    if (before === NONE) this.#set(window, HEAD, next)
    else this.#setAt(before, NEXT, next)
    if (next === NONE) this.#set(window, TAIL, before)
    this.#setAt(entry, NEXT, this.#free)
    this.#free = entry
    this.#add(window, LENGTH, -1)
    if (this.#get(window, LENGTH) === 0) this.#set(window, COARSE, 0)
  }

  /** Merges the entries of each bucket. */
  #coarsen(window: number): void {
    this.#set(window, COARSE, 1)
    let kept = this.#get(window, HEAD)
    this.#setAt(kept, MOMENT, this.#transaction(window, this.#at(kept, MOMENT)))
    for (let entry = this.#at(kept, NEXT); entry !== NONE; entry = this.#at(kept, NEXT)) {
      const moment = this.#transaction(window, this.#at(entry, MOMENT))
      if (moment === this.#at(kept, MOMENT)) {
        this.#setAmount(kept, this.#amount(kept) + this.#amount(entry))
        this.#setAt(kept, COUNT, this.#at(kept, COUNT) + this.#at(entry, COUNT))
        this.#unlink(window, kept, entry)
      } else {
        this.#setAt(entry, MOMENT, moment)
        kept = entry
      }
    }
  }

  /** Returns a moment's position in the list: itself, or the last moment of its bucket. */
  #transaction(window: number, moment: Tenth): Tenth {
    if (this.#get(window, COARSE) === 0) return moment
    const width = this.#width(window)
    return moment - (moment % width) + width - 1
  }

  #width(window: number): number {
    return Math.ceil(this.#get(window, SPAN) / SPAN_BUCKETS)
  }

  #newEntry(): number {
    const free = this.#free
    if (free !== NONE) {
      this.#free = this.#at(free, NEXT)
      return free
    }
    const entry = this.#entryCount++
    if (entry === this.#amounts.length * ROWS_PER_SLAB) {
      this.#amounts.push(new Float64Array(offHeapMemory(ROWS_PER_SLAB * DOUBLE_BYTES)))
      this.#entries.push(new Uint32Array(offHeapMemory(ROWS_PER_SLAB * ENTRY_FIELDS * WORD_BYTES)))
    }
    return entry
  }

  #amount(entry: number): number {
    const slab = this.#amounts[(entry / ROWS_PER_SLAB) | 0] as Float64Array
    return slab[entry % ROWS_PER_SLAB] as number
  }

  #setAmount(entry: number, amount: number): void {
    const slab = this.#amounts[(entry / ROWS_PER_SLAB) | 0] as Float64Array
    slab[entry % ROWS_PER_SLAB] = amount
  }

  #at(entry: number, field: number): number {
    const slab = this.#entries[(entry / ROWS_PER_SLAB) | 0] as Uint32Array
    return slab[(entry % ROWS_PER_SLAB) * ENTRY_FIELDS + field] as number
  }

  #setAt(entry: number, field: number, value: number): void {
    const slab = this.#entries[(entry / ROWS_PER_SLAB) | 0] as Uint32Array
    slab[(entry % ROWS_PER_SLAB) * ENTRY_FIELDS + field] = value
  }

  #get(window: number, field: number): number {
    const slab = this.#windows[(window / ROWS_PER_SLAB) | 0] as Float64Array
    return slab[(window % ROWS_PER_SLAB) * FIELDS + field] as number
  }

  #set(window: number, field: number, value: number): void {
    const slab = this.#windows[(window / ROWS_PER_SLAB) | 0] as Float64Array
    slab[(window % ROWS_PER_SLAB) * FIELDS + field] = value
  }

  #add(window: number, field: number, value: number): void {
    const sum = this.#get(window, field) + value
    assert(sum >= 0, 'a rolling window fell below zero')
    this.#set(window, field, sum)
  }
}
