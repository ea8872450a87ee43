// Calendar windows, packed outside the heap: each slot has its current day and, for day, week,
// month, year and all time, the amount and number of authorizations that are held or spent (used)
// and that wait for a decision (reserved).
//
// Chosen: only the current window of each interval is kept: time on the authorization line never
// goes back, so no rule ever judges a past window again, and an amount that belongs to one no
// longer counts.
import { assert } from '../../shared/assert.ts'
import { offHeapMemory } from '../memory/off-heap-memory.ts'
import { CALENDAR_INTERVALS, type DayLabel, monthOf, weekOf, yearOf } from './calendar.ts'

const INTERVALS = CALENDAR_INTERVALS.length
/** The reserved values follow the used ones, among the amounts and among the counts. */
const RESERVED = INTERVALS
const COUNTERS = 2 * INTERVALS
const SLOTS_PER_SLAB = 4096
/**
 * Two lines of a processor's cache hold a slot: its amounts as doubles, then, in words, its counts
 * and its day.
 */
const SLOT_DOUBLES = 16
const DOUBLE_BYTES = 8
const COUNTS_AT = 2 * COUNTERS
const DAY_AT = COUNTS_AT + COUNTERS

/** Content of a window: the amounts and the numbers of authorizations. */
export interface Counted {
  used: number
  reserved: number
  usedCount: number
  reservedCount: number
}

/** Two views of the same memory. */
interface Slab {
  readonly doubles: Float64Array
  readonly words: Int32Array
}

export class CalendarWindows {
  readonly #slabs: Slab[] = []
  #count = 0

  /** Opens a new slot with nothing counted. */
  open(): number {
    const slot = this.#count++
    if (slot === this.#slabs.length * SLOTS_PER_SLAB) {
      const memory = offHeapMemory(SLOTS_PER_SLAB * SLOT_DOUBLES * DOUBLE_BYTES)
      this.#slabs.push({ doubles: new Float64Array(memory), words: new Int32Array(memory) })
    }
    return slot
  }

  /** The amount that counts on this day: 0 if the slot's window is over. */
  used(slot: number, interval: number, day: DayLabel): number {
    return this.#current(slot, interval, day) ? this.#amount(slot, interval) : 0
  }

  reserved(slot: number, interval: number, day: DayLabel): number {
    return this.#current(slot, interval, day) ? this.#amount(slot, RESERVED + interval) : 0
  }

  usedCount(slot: number, interval: number, day: DayLabel): number {
    return this.#current(slot, interval, day) ? this.#number(slot, interval) : 0
  }

  reservedCount(slot: number, interval: number, day: DayLabel): number {
    return this.#current(slot, interval, day) ? this.#number(slot, RESERVED + interval) : 0
  }

  /** Reads all four values at once. */
  read(slot: number, interval: number, day: DayLabel, into: Counted): void {
    const { doubles, words } = this.#slab(slot)
    const from = doublesOf(slot)
    if (!isCurrent(words[2 * from + DAY_AT] as number, interval, day)) return
    const counts = 2 * from + COUNTS_AT + interval
    into.used = doubles[from + interval] as number
    into.reserved = doubles[from + RESERVED + interval] as number
    into.usedCount = words[counts] as number
    into.reservedCount = words[counts + RESERVED] as number
  }

  /** Adds in the windows of `day`, which become the current ones. */
  reserve(slot: number, day: DayLabel, amount: number, count: number): void {
    this.#roll(slot, day)
    for (let interval = 0; interval < INTERVALS; interval++)
      if (this.#current(slot, interval, day)) this.#add(slot, RESERVED + interval, amount, count)
  }

  /** Takes a reservation back. Windows that are over no longer hold it. */
  unreserve(slot: number, day: DayLabel, amount: number, count: number): void {
    for (let interval = 0; interval < INTERVALS; interval++)
      if (this.#current(slot, interval, day)) this.#add(slot, RESERVED + interval, -amount, -count)
  }

  /**
   * Counts in the windows of `day`. A day before the slot's counts only in the windows it shares
   * with it.
   */
  use(slot: number, day: DayLabel, amount: number, count: number): void {
    this.#roll(slot, day)
    for (let interval = 0; interval < INTERVALS; interval++)
      if (this.#current(slot, interval, day)) this.#add(slot, interval, amount, count)
  }

  /** The current day of the slot; 0 before its first. */
  day(slot: number): DayLabel {
    return this.#slab(slot).words[2 * doublesOf(slot) + DAY_AT] as number
  }

  /** Stored form of a slot: used amounts, then used counts, by interval. */
  values(slot: number): number[] {
    const values: number[] = []
    for (let interval = 0; interval < INTERVALS; interval++)
      values.push(this.#amount(slot, interval))
    for (let interval = 0; interval < INTERVALS; interval++)
      values.push(this.#number(slot, interval))
    return values
  }

  /** Restores stored values; an absent number is zero. */
  restore(slot: number, day: DayLabel, values: readonly number[]): void {
    const { doubles, words } = this.#slab(slot)
    const from = doublesOf(slot)
    words[2 * from + DAY_AT] = day
    for (let interval = 0; interval < INTERVALS; interval++) {
      doubles[from + interval] = values[interval] ?? 0
      words[2 * from + COUNTS_AT + interval] = values[INTERVALS + interval] ?? 0
    }
  }

  /** True when the slot's counters of an interval are those of the window around `day`. */
  #current(slot: number, interval: number, day: DayLabel): boolean {
    return isCurrent(this.day(slot), interval, day)
  }

  #roll(slot: number, day: DayLabel): void {
    const { doubles, words } = this.#slab(slot)
    const from = doublesOf(slot)
    const at = words[2 * from + DAY_AT] as number
    if (at >= day) return
    for (let interval = 0; interval < INTERVALS; interval++) {
      if (isCurrent(at, interval, day)) continue
      const counts = 2 * from + COUNTS_AT + interval
      doubles[from + interval] = 0
      doubles[from + RESERVED + interval] = 0
      words[counts] = 0
      words[counts + RESERVED] = 0
    }
    words[2 * from + DAY_AT] = day
  }

  #add(slot: number, counter: number, amount: number, count: number): void {
    const { doubles, words } = this.#slab(slot)
    const amountAt = doublesOf(slot) + counter
    const countAt = 2 * doublesOf(slot) + COUNTS_AT + counter
    const sum = (doubles[amountAt] as number) + amount
    const number = (words[countAt] as number) + count
    assert(sum >= 0 && number >= 0, 'a spend window fell below zero')
    doubles[amountAt] = sum
    words[countAt] = number
  }

  #amount(slot: number, counter: number): number {
    return this.#slab(slot).doubles[doublesOf(slot) + counter] as number
  }

  #number(slot: number, counter: number): number {
    return this.#slab(slot).words[2 * doublesOf(slot) + COUNTS_AT + counter] as number
  }

  #slab(slot: number): Slab {
    return this.#slabs[(slot / SLOTS_PER_SLAB) | 0] as Slab
  }
}

/** Returns the start of a slot's doubles in its slab. */
function doublesOf(slot: number): number {
  return (slot % SLOTS_PER_SLAB) * SLOT_DOUBLES
}

/** True when both days are in the same window of an interval. */
function isCurrent(at: DayLabel, interval: number, day: DayLabel): boolean {
  if (at === day) return true
  switch (interval) {
    case 0:
      return false
    case 1:
      return weekOf(at) === weekOf(day)
    case 2:
      return monthOf(at) === monthOf(day)
    case 3:
      return yearOf(at) === yearOf(day)
    default:
      return true
  }
}
