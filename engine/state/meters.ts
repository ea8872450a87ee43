// Spend windows by their keys. A meter is what is counted of one subject, zone, currency and filter: the windows of the calendar,
// or one rolling window. Everything that grows lies packed outside the heap, so a million meters cost no collection.
//
// Editing a control resets nothing: its id is no part of a key, but of a draft's and of a use count's.
import type { DayLabel } from './calendar.ts'
import { isRollingZone, RollingWindows, type Tenth } from './rolling.ts'
import { CalendarWindows } from './windows.ts'

const METERS_AT_FIRST = 4096

/** Where a meter counts: a local day of its zone, or for a rolling window a tenth of a second since 2020. */
export type Moment = DayLabel | Tenth

/**
 * What is kept of a meter. `values` are of CalendarWindows or RollingWindows. Rows of the first release have no filter: their
 * fifth place is the amount of the day.
 */
export type MeterRow = readonly [
  subject: string,
  zone: string,
  currency: string,
  moment: Moment,
  filter: string | number,
  ...values: number[],
]

export class Meters {
  readonly #calendar = new CalendarWindows()
  readonly #rolling = new RollingWindows()
  readonly #first = new Map<string, number>()
  readonly #subjects: string[] = []
  readonly #names: string[] = []
  readonly #name = new Map<string, number>()
  #next = new Int32Array(METERS_AT_FIRST)
  #zone = new Uint32Array(METERS_AT_FIRST)
  #currency = new Uint32Array(METERS_AT_FIRST)
  #filter = new Uint32Array(METERS_AT_FIRST)
  /** The slot of the calendar windows; for a rolling window -1 less its number. */
  #slot = new Int32Array(METERS_AT_FIRST)
  #count = 0

  get size(): number {
    return this.#count
  }

  /** The meter's number, or -1 where nothing was ever counted there. */
  find(subject: string, zone: string, currency: string, filter = ''): number {
    const first = this.#first.get(subject)
    if (first === undefined) return -1
    const zoneName = this.#name.get(zone)
    const currencyName = this.#name.get(currency)
    const filterName = this.#name.get(filter)
    for (let meter = first; meter !== -1; meter = this.#next[meter] as number) {
      if (
        this.#zone[meter] === zoneName &&
        this.#filter[meter] === filterName &&
        this.#currency[meter] === currencyName
      )
        return meter
    }
    return -1
  }

  /** The meter's number; made when it is new. */
  open(subject: string, zone: string, currency: string, filter = ''): number {
    const known = this.find(subject, zone, currency, filter)
    if (known !== -1) return known
    const meter = this.#count++
    if (meter === this.#next.length) this.#grow()
    this.#append(subject, meter)
    this.#zone[meter] = this.#nameOf(zone)
    this.#currency[meter] = this.#nameOf(currency)
    this.#filter[meter] = this.#nameOf(filter)
    this.#slot[meter] = isRollingZone(zone) ? -1 - this.#rolling.open(zone) : this.#calendar.open()
    this.#subjects.push(subject)
    return meter
  }

  /**
   * The amount that counts against a limit at this moment: 0 where the meter's window is over. `interval` is a place in
   * CALENDAR_INTERVALS; a rolling window has only one and ignores it.
   */
  used(meter: number, interval: number, now: Moment): number {
    const slot = this.#slot[meter] as number
    if (slot < 0) return this.#rolling.used(-1 - slot, now)
    return this.#calendar.used(slot, interval, now)
  }

  /** The amount of the messages that are being decided. */
  reserved(meter: number, interval: number, now: Moment): number {
    const slot = this.#slot[meter] as number
    if (slot < 0) return this.#rolling.reserved(-1 - slot)
    return this.#calendar.reserved(slot, interval, now)
  }

  /** The number of authorizations that count against a limit at this moment. */
  usedCount(meter: number, interval: number, now: Moment): number {
    const slot = this.#slot[meter] as number
    if (slot < 0) return this.#rolling.usedCount(-1 - slot, now)
    return this.#calendar.usedCount(slot, interval, now)
  }

  /** The number of authorizations that are being decided. */
  reservedCount(meter: number, interval: number, now: Moment): number {
    const slot = this.#slot[meter] as number
    if (slot < 0) return this.#rolling.reservedCount(-1 - slot)
    return this.#calendar.reservedCount(slot, interval, now)
  }

  /** Adds to `reserved` in the windows of a moment, which become the current ones. */
  reserve(meter: number, at: Moment, amount: number, count: number): void {
    const slot = this.#slot[meter] as number
    if (slot < 0) this.#rolling.reserve(-1 - slot, amount, count)
    else this.#calendar.reserve(slot, at, amount, count)
  }

  /** Takes a reservation back, with the moment and the numbers it was made with. */
  unreserve(meter: number, at: Moment, amount: number, count: number): void {
    const slot = this.#slot[meter] as number
    if (slot < 0) this.#rolling.reserve(-1 - slot, -amount, -count)
    else this.#calendar.unreserve(slot, at, amount, count)
  }

  /**
   * Counts in the windows of a moment; what is taken back is negative, with the moment it was counted at. A moment before the
   * meter's counts only in the windows it shares with it.
   */
  use(meter: number, at: Moment, amount: number, count: number): void {
    const slot = this.#slot[meter] as number
    if (slot < 0) this.#rolling.use(-1 - slot, at, amount, count)
    else this.#calendar.use(slot, at, amount, count)
  }

  /** Every meter by number, with what is used; reservations are not part of what is kept. */
  *rows(): Iterable<MeterRow> {
    for (let meter = 0; meter < this.#count; meter++) {
      const slot = this.#slot[meter] as number
      const values = slot < 0 ? this.#rolling.values(-1 - slot) : this.#calendar.values(slot)
      yield [...this.#key(meter), ...values]
    }
  }

  /** Puts a kept row back. */
  restore(row: MeterRow): void {
    const [subject, zone, currency, moment, filter, ...values] = row
    const written = typeof filter === 'string'
    const meter = this.open(subject, zone, currency, written ? filter : '')
    const slot = this.#slot[meter] as number
    if (slot < 0) this.#rolling.restore(-1 - slot, moment, values)
    else this.#calendar.restore(slot, moment, written ? values : [filter, ...values])
  }

  /** The same meters by the same numbers, standing at the same moments, with nothing counted: for counting again. */
  emptied(): Meters {
    const empty = new Meters()
    for (let meter = 0; meter < this.#count; meter++) {
      const slot = this.#slot[meter] as number
      const coarse = slot < 0 ? this.#rolling.values(-1 - slot).slice(0, 1) : []
      empty.restore([...this.#key(meter), ...coarse])
    }
    return empty
  }

  /** The first meter that holds something else than `recounted`, made by `emptied`, counts for it; or null. */
  mismatch(recounted: Meters): string | null {
    for (let meter = 0; meter < this.#count; meter++) {
      const [held, counted] = [this.#comparable(meter), recounted.#comparable(meter)]
      if (held !== counted)
        return 'window ' + this.#key(meter).join(' ') + ' ' + held + ' should hold ' + counted
    }
    return null
  }

  /** Behind the subject's others, so that the windows it always had are found first, however many drafts came and went. */
  #append(subject: string, meter: number): void {
    this.#next[meter] = -1
    let last = this.#first.get(subject)
    if (last === undefined) {
      this.#first.set(subject, meter)
      return
    }
    for (let next = this.#next[last] as number; next !== -1; next = this.#next[last] as number)
      last = next
    this.#next[last] = meter
  }

  #comparable(meter: number): string {
    const slot = this.#slot[meter] as number
    const values = slot < 0 ? this.#rolling.comparable(-1 - slot) : this.#calendar.values(slot)
    return values.join(' ')
  }

  #key(
    meter: number,
  ): [subject: string, zone: string, currency: string, at: Moment, filter: string] {
    const slot = this.#slot[meter] as number
    return [
      this.#subjects[meter] as string,
      this.#names[this.#zone[meter] as number] as string,
      this.#names[this.#currency[meter] as number] as string,
      slot < 0 ? this.#rolling.latest(-1 - slot) : this.#calendar.day(slot),
      this.#names[this.#filter[meter] as number] as string,
    ]
  }

  #nameOf(text: string): number {
    let name = this.#name.get(text)
    if (name === undefined) {
      name = this.#names.push(text) - 1
      this.#name.set(text, name)
    }
    return name
  }

  #grow(): void {
    const size = this.#next.length * 2
    this.#next = grown(this.#next, new Int32Array(size))
    this.#zone = grown(this.#zone, new Uint32Array(size))
    this.#currency = grown(this.#currency, new Uint32Array(size))
    this.#filter = grown(this.#filter, new Uint32Array(size))
    this.#slot = grown(this.#slot, new Int32Array(size))
  }
}

function grown<Numbers extends Int32Array | Uint32Array>(from: Numbers, into: Numbers): Numbers {
  into.set(from)
  return into
}
