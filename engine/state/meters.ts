// Spend windows: for each subject, zone and currency five counters (day, week, month, year, all time) of what is held or
// spent (used) and of what waits for a tenant (reserved). Packed outside the heap, so a million of them cost no collection.
//
// Chosen: only the current window of each interval is kept: time on the line never goes back, so a past window is never judged
// again, and an amount that belongs to one simply no longer counts. Editing a control resets nothing: its id is no key.
import { assert } from '../../shared/assert.ts'
import { CALENDAR_INTERVALS, type DayLabel, monthOf, weekOf, yearOf } from './calendar.ts'

const INTERVALS = CALENDAR_INTERVALS.length
const USED_AT = 1
const RESERVED_AT = USED_AT + INTERVALS
/** day label, 5 used, 5 reserved */
const ROW = 1 + 2 * INTERVALS
const ROWS_PER_SLAB = 4096

export class Meters {
  readonly #slabs: Float64Array[] = []
  readonly #first = new Map<string, number>()
  readonly #subjects: string[] = []
  readonly #names: string[] = []
  readonly #name = new Map<string, number>()
  #next = new Int32Array(ROWS_PER_SLAB)
  #zone = new Uint16Array(ROWS_PER_SLAB)
  #currency = new Uint16Array(ROWS_PER_SLAB)
  #count = 0

  get size(): number {
    return this.#count
  }

  /** The meter's number, or -1 where nothing was ever counted there. */
  find(subject: string, zone: string, currency: string): number {
    const zoneName = this.#name.get(zone)
    const currencyName = this.#name.get(currency)
    let meter = this.#first.get(subject) ?? -1
    while (meter !== -1) {
      if (this.#zone[meter] === zoneName && this.#currency[meter] === currencyName) return meter
      meter = this.#next[meter] as number
    }
    return -1
  }

  /** The meter's number; made when it is new. */
  open(subject: string, zone: string, currency: string): number {
    const known = this.find(subject, zone, currency)
    if (known !== -1) return known
    const meter = this.#count++
    if (meter === this.#next.length) this.#grow()
    if (meter === this.#slabs.length * ROWS_PER_SLAB)
      this.#slabs.push(new Float64Array(ROW * ROWS_PER_SLAB))
    this.#next[meter] = this.#first.get(subject) ?? -1
    this.#zone[meter] = this.#nameOf(zone)
    this.#currency[meter] = this.#nameOf(currency)
    this.#first.set(subject, meter)
    this.#subjects.push(subject)
    return meter
  }

  /** What counts against a limit of this interval on this day: 0 where the meter's window is over. */
  used(meter: number, interval: number, day: DayLabel): number {
    return this.#current(meter, interval, day) ? this.#at(meter, USED_AT + interval) : 0
  }

  reserved(meter: number, interval: number, day: DayLabel): number {
    return this.#current(meter, interval, day) ? this.#at(meter, RESERVED_AT + interval) : 0
  }

  /** Adds to `reserved` in the windows of `day`, which become the current ones. */
  reserve(meter: number, day: DayLabel, amount: number): void {
    this.#roll(meter, day)
    this.#add(meter, day, RESERVED_AT, amount)
  }

  /** Takes a reservation back. Windows that are over no longer hold it. */
  unreserve(meter: number, day: DayLabel, amount: number): void {
    this.#add(meter, day, RESERVED_AT, -amount)
  }

  /** Counts an amount in the windows of `day`. A day before the meter's counts only in the windows it shares with it. */
  use(meter: number, day: DayLabel, amount: number): void {
    this.#roll(meter, day)
    this.#add(meter, day, USED_AT, amount)
  }

  /** Every meter by number as [subject, zone, currency, day, used × 5]; reservations are not part of what is kept. */
  *rows(): Iterable<MeterRow> {
    for (let meter = 0; meter < this.#count; meter++) {
      const row: (string | number)[] = [
        this.#subjects[meter] as string,
        this.#names[this.#zone[meter] as number] as string,
        this.#names[this.#currency[meter] as number] as string,
        this.#at(meter, 0),
      ]
      for (let interval = 0; interval < INTERVALS; interval++)
        row.push(this.#at(meter, USED_AT + interval))
      yield row as unknown as MeterRow
    }
  }

  /** Puts a kept row back. */
  restore(row: MeterRow): void {
    const [subject, zone, currency, day, ...used] = row
    const meter = this.open(subject, zone, currency)
    this.#set(meter, 0, day)
    for (let interval = 0; interval < INTERVALS; interval++)
      this.#set(meter, USED_AT + interval, used[interval] ?? 0)
  }

  /** True when the meter's counters of an interval are those of the window around `day`. */
  #current(meter: number, interval: number, day: DayLabel): boolean {
    const at = this.#at(meter, 0)
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

  #roll(meter: number, day: DayLabel): void {
    if (this.#at(meter, 0) >= day) return
    for (let interval = 0; interval < INTERVALS; interval++) {
      if (this.#current(meter, interval, day)) continue
      this.#set(meter, USED_AT + interval, 0)
      this.#set(meter, RESERVED_AT + interval, 0)
    }
    this.#set(meter, 0, day)
  }

  #add(meter: number, day: DayLabel, from: number, amount: number): void {
    for (let interval = 0; interval < INTERVALS; interval++) {
      if (!this.#current(meter, interval, day)) continue
      const sum = this.#at(meter, from + interval) + amount
      assert(sum >= 0, 'a spend window fell below zero')
      this.#set(meter, from + interval, sum)
    }
  }

  #at(meter: number, field: number): number {
    return (this.#slabs[(meter / ROWS_PER_SLAB) | 0] as Float64Array)[
      (meter % ROWS_PER_SLAB) * ROW + field
    ] as number
  }

  #set(meter: number, field: number, value: number): void {
    const slab = this.#slabs[(meter / ROWS_PER_SLAB) | 0] as Float64Array
    slab[(meter % ROWS_PER_SLAB) * ROW + field] = value
  }

  #nameOf(text: string): number {
    let name = this.#name.get(text)
    if (name === undefined) {
      name = this.#names.push(text) - 1
      assert(name <= 0xffff, 'more zones and currencies than a meter can name')
      this.#name.set(text, name)
    }
    return name
  }

  #grow(): void {
    const next = new Int32Array(this.#next.length * 2)
    next.set(this.#next)
    this.#next = next
    const zone = new Uint16Array(next.length)
    zone.set(this.#zone)
    this.#zone = zone
    const currency = new Uint16Array(next.length)
    currency.set(this.#currency)
    this.#currency = currency
  }
}

export type MeterRow = readonly [
  subject: string,
  zone: string,
  currency: string,
  day: DayLabel,
  daily: number,
  weekly: number,
  monthly: number,
  yearly: number,
  allTime: number,
]
