// Calendar windows, packed outside the heap: for each slot the day it stands at and, for day, week, month, year and all time,
// the amount and the number of authorizations that are held or spent (used) and that wait for a decision (reserved).
//
// Chosen: only the current window of each interval is kept: time on the line never goes back, so a past window is never judged
// again, and an amount that belongs to one simply no longer counts.
import { assert } from '../../shared/assert.ts'
import { CALENDAR_INTERVALS, type DayLabel, monthOf, weekOf, yearOf } from './calendar.ts'

const INTERVALS = CALENDAR_INTERVALS.length
/** Places of a slot's two halves, the same among the amounts and among the counts. */
const USED = 0
const RESERVED = INTERVALS
const COUNTERS = 2 * INTERVALS
const SLOTS_PER_SLAB = 4096

/** What a window holds: the amounts and the numbers of authorizations. */
export interface Counted {
  used: number
  reserved: number
  usedCount: number
  reservedCount: number
}

interface Slab {
  readonly days: Int32Array
  readonly amounts: Float64Array
  readonly counts: Int32Array
}

export class CalendarWindows {
  readonly #slabs: Slab[] = []
  #count = 0

  /** A new slot, with nothing counted. */
  open(): number {
    const slot = this.#count++
    if (slot === this.#slabs.length * SLOTS_PER_SLAB) {
      this.#slabs.push({
        days: new Int32Array(SLOTS_PER_SLAB),
        amounts: new Float64Array(SLOTS_PER_SLAB * COUNTERS),
        counts: new Int32Array(SLOTS_PER_SLAB * COUNTERS),
      })
    }
    return slot
  }

  /** The amount that counts on this day: 0 where the slot's window is over. */
  used(slot: number, interval: number, day: DayLabel): number {
    return this.#current(slot, interval, day) ? this.#amount(slot, USED + interval) : 0
  }

  reserved(slot: number, interval: number, day: DayLabel): number {
    return this.#current(slot, interval, day) ? this.#amount(slot, RESERVED + interval) : 0
  }

  usedCount(slot: number, interval: number, day: DayLabel): number {
    return this.#current(slot, interval, day) ? this.#number(slot, USED + interval) : 0
  }

  reservedCount(slot: number, interval: number, day: DayLabel): number {
    return this.#current(slot, interval, day) ? this.#number(slot, RESERVED + interval) : 0
  }

  /** All four at once. */
  read(slot: number, interval: number, day: DayLabel, into: Counted): void {
    if (!this.#current(slot, interval, day)) return
    const { amounts, counts } = this.#slab(slot)
    const used = (slot % SLOTS_PER_SLAB) * COUNTERS + USED + interval
    const reserved = (slot % SLOTS_PER_SLAB) * COUNTERS + RESERVED + interval
    into.used = amounts[used] as number
    into.reserved = amounts[reserved] as number
    into.usedCount = counts[used] as number
    into.reservedCount = counts[reserved] as number
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

  /** Counts in the windows of `day`. A day before the slot's counts only in the windows it shares with it. */
  use(slot: number, day: DayLabel, amount: number, count: number): void {
    this.#roll(slot, day)
    for (let interval = 0; interval < INTERVALS; interval++)
      if (this.#current(slot, interval, day)) this.#add(slot, USED + interval, amount, count)
  }

  /** The day the slot stands at; 0 before its first. */
  day(slot: number): DayLabel {
    return this.#slab(slot).days[slot % SLOTS_PER_SLAB] as number
  }

  /** What is kept of a slot: used amounts, then used counts, by interval. */
  values(slot: number): number[] {
    const values: number[] = []
    for (let interval = 0; interval < INTERVALS; interval++)
      values.push(this.#amount(slot, USED + interval))
    for (let interval = 0; interval < INTERVALS; interval++)
      values.push(this.#number(slot, USED + interval))
    return values
  }

  /** Puts kept values back; the first release kept no counts. */
  restore(slot: number, day: DayLabel, values: readonly number[]): void {
    const { days, amounts, counts } = this.#slab(slot)
    days[slot % SLOTS_PER_SLAB] = day
    const from = (slot % SLOTS_PER_SLAB) * COUNTERS + USED
    for (let interval = 0; interval < INTERVALS; interval++) {
      amounts[from + interval] = values[interval] ?? 0
      counts[from + interval] = values[INTERVALS + interval] ?? 0
    }
  }

  /** True when the slot's counters of an interval are those of the window around `day`. */
  #current(slot: number, interval: number, day: DayLabel): boolean {
    const at = this.day(slot)
    switch (interval) {
      case 0:
        return at === day
      case 1:
        return at === day || weekOf(at) === weekOf(day)
      case 2:
        return monthOf(at) === monthOf(day)
      case 3:
        return yearOf(at) === yearOf(day)
      default:
        return true
    }
  }

  #roll(slot: number, day: DayLabel): void {
    if (this.day(slot) >= day) return
    const { days, amounts, counts } = this.#slab(slot)
    const from = (slot % SLOTS_PER_SLAB) * COUNTERS
    for (let interval = 0; interval < INTERVALS; interval++) {
      if (this.#current(slot, interval, day)) continue
      amounts[from + USED + interval] = 0
      amounts[from + RESERVED + interval] = 0
      counts[from + USED + interval] = 0
      counts[from + RESERVED + interval] = 0
    }
    days[slot % SLOTS_PER_SLAB] = day
  }

  #add(slot: number, counter: number, amount: number, count: number): void {
    const { amounts, counts } = this.#slab(slot)
    const at = (slot % SLOTS_PER_SLAB) * COUNTERS + counter
    const sum = (amounts[at] as number) + amount
    const number = (counts[at] as number) + count
    assert(sum >= 0 && number >= 0, 'a spend window fell below zero')
    amounts[at] = sum
    counts[at] = number
  }

  #amount(slot: number, counter: number): number {
    return this.#slab(slot).amounts[(slot % SLOTS_PER_SLAB) * COUNTERS + counter] as number
  }

  #number(slot: number, counter: number): number {
    return this.#slab(slot).counts[(slot % SLOTS_PER_SLAB) * COUNTERS + counter] as number
  }

  #slab(slot: number): Slab {
    return this.#slabs[(slot / SLOTS_PER_SLAB) | 0] as Slab
  }
}
