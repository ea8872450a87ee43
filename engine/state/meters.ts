// Spend windows by their keys. A meter counts for one subject, zone, currency and filter: the
// windows of the calendar, or one rolling window. All growing data is packed outside the heap, so a
// million meters cost no garbage collection.
//
// Editing a control resets nothing: its id is no part of a key, except for a draft's windows and a
// use count's.
import type { DayLabel } from './calendar.ts'
import { isRollingZone, RollingWindows, type Tenth } from './rolling.ts'
import { CalendarWindows, type Counted } from './windows.ts'

const METERS_AT_FIRST = 4096
/** The columns of a meter. */
const NEXT = 0
const ZONE = 1
const CURRENCY = 2
const FILTER = 3
/** The slot of the calendar windows; for a rolling window -1 minus its number. */
const SLOT = 4
const COLUMNS = 5
/** The number for meters without a filter, as most are. */
const UNFILTERED = 0

/**
 * Position of a meter: a local day of its zone, or for a rolling window a tenth of a second since
 * 2020.
 */
export type Moment = DayLabel | Tenth

/** Stored form of a meter. `values` are of CalendarWindows or RollingWindows. */
export type MeterRow = readonly [
  subject: string,
  zone: string,
  currency: string,
  moment: Moment,
  filter: string,
  ...values: number[],
]

export class Meters {
  readonly #calendar = new CalendarWindows()
  readonly #rolling = new RollingWindows()
  readonly #first = new Map<string, number>()
  readonly #subjects: string[] = []
  readonly #names = ['']
  readonly #name = new Map([['', UNFILTERED]])
  #rows = new Int32Array(METERS_AT_FIRST * COLUMNS)
  /** A message reads many meters of few subjects, nearly all in one zone and currency. */
  #latest = { subject: '', first: -1, zone: '', zoneName: 0, currency: '', currencyName: 0 }
  #count = 0

  get size(): number {
    return this.#count
  }

  /** Returns the meter's number, or -1 if it does not exist. */
  find(subject: string, zone: string, currency: string, filter = ''): number {
    if (!this.#look(subject, zone, currency)) return -1
    const { first, zoneName, currencyName } = this.#latest
    const filterName = filter === '' ? UNFILTERED : this.#name.get(filter)
    const rows = this.#rows
    let meter = first
    while (meter !== -1) {
      const at = meter * COLUMNS
      if (
        rows[at + ZONE] === zoneName &&
        rows[at + FILTER] === filterName &&
        rows[at + CURRENCY] === currencyName
      )
        return meter
      meter = rows[at + NEXT] as number
    }
    return -1
  }

  /** Returns the meter's number; a missing meter is made. */
  open(subject: string, zone: string, currency: string, filter = ''): number {
    const known = this.find(subject, zone, currency, filter)
    if (known !== -1) return known
    const meter = this.#count++
    if (meter * COLUMNS >= this.#rows.length) this.#grow()
    this.#append(subject, meter)
    this.#set(meter, ZONE, this.#nameOf(zone))
    this.#set(meter, CURRENCY, this.#nameOf(currency))
    this.#set(meter, FILTER, this.#nameOf(filter))
    const slot = isRollingZone(zone) ? -1 - this.#rolling.open(zone) : this.#calendar.open()
    this.#set(meter, SLOT, slot)
    this.#subjects.push(subject)
    return meter
  }

  /**
   * Returns the amount that counts against a limit at this moment: 0 if the meter's window is over.
   * `interval` is a place in CALENDAR_INTERVALS; a rolling window has only one and ignores it.
   */
  used(meter: number, interval: number, now: Moment): number {
    const slot = this.#get(meter, SLOT)
    if (slot < 0) return this.#rolling.used(-1 - slot, now)
    return this.#calendar.used(slot, interval, now)
  }

  /** The reserved amount of the messages being decided. */
  reserved(meter: number, interval: number, now: Moment): number {
    const slot = this.#get(meter, SLOT)
    if (slot < 0) return this.#rolling.reserved(-1 - slot)
    return this.#calendar.reserved(slot, interval, now)
  }

  /** The number of authorizations that count against a limit at this moment. */
  usedCount(meter: number, interval: number, now: Moment): number {
    const slot = this.#get(meter, SLOT)
    if (slot < 0) return this.#rolling.usedCount(-1 - slot, now)
    return this.#calendar.usedCount(slot, interval, now)
  }

  /** The number of authorizations that are being decided. */
  reservedCount(meter: number, interval: number, now: Moment): number {
    const slot = this.#get(meter, SLOT)
    if (slot < 0) return this.#rolling.reservedCount(-1 - slot)
    return this.#calendar.reservedCount(slot, interval, now)
  }

  /**
   * Reads all four values at once if the meter's window is not over; otherwise `into` stays
   * unchanged.
   */
  read(meter: number, interval: number, now: Moment, into: Counted): void {
    const slot = this.#get(meter, SLOT)
    if (slot < 0) this.#rolling.read(-1 - slot, now, into)
    else this.#calendar.read(slot, interval, now, into)
  }

  /** Adds to `reserved` in the windows of a moment, which become the current ones. */
  reserve(meter: number, at: Moment, amount: number, count: number): void {
    const slot = this.#get(meter, SLOT)
    if (slot < 0) this.#rolling.reserve(-1 - slot, amount, count)
    else this.#calendar.reserve(slot, at, amount, count)
  }

  /** Takes a reservation back, with its original moment and numbers. */
  unreserve(meter: number, at: Moment, amount: number, count: number): void {
    const slot = this.#get(meter, SLOT)
    if (slot < 0) this.#rolling.reserve(-1 - slot, -amount, -count)
    else this.#calendar.unreserve(slot, at, amount, count)
  }

  /**
   * Counts in the windows of a moment; a return is negative, with the moment of its original. A
   * moment before the meter's counts only in the windows it shares with it.
   */
  use(meter: number, at: Moment, amount: number, count: number): void {
    const slot = this.#get(meter, SLOT)
    if (slot < 0) this.#rolling.use(-1 - slot, at, amount, count)
    else this.#calendar.use(slot, at, amount, count)
  }

  /** Every meter by number, with its used values; reservations are not stored. */
  *rows(): Iterable<MeterRow> {
    for (let meter = 0; meter < this.#count; meter++) {
      const slot = this.#get(meter, SLOT)
      const values = slot < 0 ? this.#rolling.values(-1 - slot) : this.#calendar.values(slot)
      yield [...this.#key(meter), ...values]
    }
  }

  /** Restores a stored row. */
  restore(row: MeterRow): void {
    const [subject, zone, currency, moment, filter, ...values] = row
    const meter = this.open(subject, zone, currency, filter)
    const slot = this.#get(meter, SLOT)
    if (slot < 0) this.#rolling.restore(-1 - slot, moment, values)
    else this.#calendar.restore(slot, moment, values)
  }

  /**
   * Returns the same meters with the same numbers and moments and nothing counted, for a recount.
   */
  emptied(): Meters {
    const empty = new Meters()
    for (let meter = 0; meter < this.#count; meter++) {
      const slot = this.#get(meter, SLOT)
      const coarse = slot < 0 ? this.#rolling.values(-1 - slot).slice(0, 1) : []
      empty.restore([...this.#key(meter), ...coarse])
    }
    return empty
  }

  /**
   * Returns the first meter whose content differs from its recount in `recounted`, made by
   * `emptied`; or null.
   */
  mismatch(recounted: Meters): string | null {
    for (let meter = 0; meter < this.#count; meter++) {
      const [held, counted] = [this.#comparable(meter), recounted.#comparable(meter)]
      if (held !== counted)
        return 'window ' + this.#key(meter).join(' ') + ' ' + held + ' should hold ' + counted
    }
    return null
  }

  /**
   * Appends behind the subject's other meters, so its permanent windows are found first, however
   * many drafts came and went.
   */
  #append(subject: string, meter: number): void {
    this.#set(meter, NEXT, -1)
    let last = this.#first.get(subject)
    if (last === undefined) {
      this.#first.set(subject, meter)
      return
    }
    for (let next = this.#get(last, NEXT); next !== -1; next = this.#get(last, NEXT)) last = next
    this.#set(last, NEXT, meter)
  }

  #comparable(meter: number): string {
    const slot = this.#get(meter, SLOT)
    const values = slot < 0 ? this.#rolling.comparable(-1 - slot) : this.#calendar.values(slot)
    return values.join(' ')
  }

  #key(
    meter: number,
  ): [subject: string, zone: string, currency: string, at: Moment, filter: string] {
    const slot = this.#get(meter, SLOT)
    return [
      this.#subjects[meter] as string,
      this.#names[this.#get(meter, ZONE)] as string,
      this.#names[this.#get(meter, CURRENCY)] as string,
      slot < 0 ? this.#rolling.latest(-1 - slot) : this.#calendar.day(slot),
      this.#names[this.#get(meter, FILTER)] as string,
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

  /** Makes these the latest lookup; false if one of them is unknown. */
  #look(subject: string, zone: string, currency: string): boolean {
    const latest = this.#latest
    if (latest.subject !== subject || latest.first === -1) {
      const first = this.#first.get(subject)
      if (first === undefined) return false
      latest.subject = subject
      latest.first = first
    }
    if (latest.zone !== zone) {
      const name = this.#name.get(zone)
      if (name === undefined) return false
      latest.zone = zone
      latest.zoneName = name
    }
    if (latest.currency !== currency) {
      const name = this.#name.get(currency)
      if (name === undefined) return false
      latest.currency = currency
      latest.currencyName = name
    }
    return true
  }

  #get(meter: number, column: number): number {
    return this.#rows[meter * COLUMNS + column] as number
  }

  #set(meter: number, column: number, value: number): void {
    this.#rows[meter * COLUMNS + column] = value
  }

  #grow(): void {
    const grown = new Int32Array(this.#rows.length * 2)
    grown.set(this.#rows)
    this.#rows = grown
  }
}
