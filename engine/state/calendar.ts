// Calendar windows in IANA zones. Pure: everything follows from zone and moment; each zone's current day is remembered.
import type { LimitInterval } from '../../shared/wire/facts.ts'

/** A civil date as one number, 20261120, so that later dates are larger. */
export type DayLabel = number

/** Order of the five counters in a meter. */
export const CALENDAR_INTERVALS = ['daily', 'weekly', 'monthly', 'yearly', 'all_time'] as const

/** One local day of a zone: [startMs, endMs). */
export interface CalendarDay {
  readonly zone: string
  readonly label: DayLabel
  /** Monday is 1, Sunday 7. */
  readonly weekday: number
  readonly startMs: number
  readonly endMs: number
  /** In a zone other than UTC a bound costs some thirty conversions of a moment, so each is looked for once a day. */
  readonly bounds: Map<LimitInterval, WindowBounds>
}

export interface WindowBounds {
  readonly startMs: number | null
  readonly endMs: number | null
}

const DAY_MS = 86_400_000
/** No zone is further from UTC than 14 hours; one more for safety. */
const OFFSET_MS_MAX = 15 * 3_600_000
const ZONES_MAX = 700

const MINUTE_MS = 60_000
/** Every zone's clock is set at a quarter of an hour of UTC, and stands at one. */
const QUARTER_MS = 15 * MINUTE_MS

const days = new Map<string, CalendarDay>()
const quarters = new Map<string, { startMs: number; minute: number }>()
const formats = new Map<string, Intl.DateTimeFormat>()

/** The local day a moment falls on. Costs a comparison while the day lasts. */
export function calendarDay(zone: string, now: number): CalendarDay {
  const known = days.get(zone)
  if (known !== undefined && now >= known.startMs && now < known.endMs) return known
  const label = labelAt(zone, now)
  const day = {
    zone,
    label,
    weekday: weekdayOf(label),
    startMs: startOf(zone, label),
    endMs: startOf(zone, addDays(label, 1)),
    bounds: new Map<LimitInterval, WindowBounds>(),
  }
  if (days.size >= ZONES_MAX) days.clear()
  days.set(zone, day)
  return day
}

/** First and last instant of the window around a day; null where the interval has no end (all_time) or start. */
export function windowBounds(day: CalendarDay, interval: LimitInterval): WindowBounds {
  let found = day.bounds.get(interval)
  if (found === undefined) {
    found = boundsOf(day, interval)
    day.bounds.set(interval, found)
  }
  return found
}

function boundsOf(day: CalendarDay, interval: LimitInterval): WindowBounds {
  const { zone, label } = day
  switch (interval) {
    case 'daily':
      return { startMs: day.startMs, endMs: day.endMs }
    case 'weekly': {
      const monday = weekOf(label)
      return { startMs: startOf(zone, monday), endMs: startOf(zone, addDays(monday, 7)) }
    }
    case 'monthly': {
      const first = monthOf(label) * 100 + 1
      // After December the thirteenth month begins, which is the next January.
      return { startMs: startOf(zone, first), endMs: startOf(zone, first + 100) }
    }
    case 'yearly': {
      const year = yearOf(label)
      return {
        startMs: startOf(zone, year * 10_000 + 101),
        endMs: startOf(zone, (year + 1) * 10_000 + 101),
      }
    }
    case 'per_authorization':
    case 'all_time':
      return { startMs: null, endMs: null }
  }
}

/** Monday is 1, Sunday 7. */
export function weekdayOf(label: DayLabel): number {
  return ((utcDayNumber(label) + 3) % 7) + 1 // Day 0 of the epoch was a Thursday.
}

/** Minutes since midnight on the zone's clock, which jumps where it is set forward and back. */
export function minuteOfDay(zone: string, now: number): number {
  const known = quarters.get(zone)
  if (known !== undefined && now >= known.startMs && now < known.startMs + QUARTER_MS)
    return known.minute + Math.floor((now - known.startMs) / MINUTE_MS)
  const startMs = Math.floor(now / QUARTER_MS) * QUARTER_MS
  const quarter = { startMs, minute: minuteAt(zone, startMs) }
  if (quarters.size >= ZONES_MAX) quarters.clear()
  quarters.set(zone, quarter)
  return quarter.minute + Math.floor((now - startMs) / MINUTE_MS)
}

/** Label of the Monday that begins the day's week. */
export function weekOf(label: DayLabel): DayLabel {
  const weekday = weekdayOf(label)
  return weekday === 1 ? label : addDays(label, 1 - weekday)
}

/** Year and month as one number, 202611. */
export function monthOf(label: DayLabel): number {
  return Math.floor(label / 100)
}

/** The year, 2026. */
export function yearOf(label: DayLabel): number {
  return Math.floor(label / 10_000)
}

function utcDayNumber(label: DayLabel): number {
  return Date.UTC(yearOf(label), (monthOf(label) % 100) - 1, label % 100) / DAY_MS
}

function addDays(label: DayLabel, count: number): DayLabel {
  return labelOfDayNumber(utcDayNumber(label) + count)
}

/** Civil date of a day number since the epoch (Howard Hinnant's algorithm, valid for all dates we meet). */
function labelOfDayNumber(dayNumber: number): DayLabel {
  const shifted = dayNumber + 719_468
  const era = Math.floor(shifted / 146_097)
  const dayOfEra = shifted - era * 146_097
  const yearOfEra = Math.floor(
    (dayOfEra -
      Math.floor(dayOfEra / 1460) +
      Math.floor(dayOfEra / 36_524) -
      Math.floor(dayOfEra / 146_096)) /
      365,
  )
  const dayOfYear =
    dayOfEra - (365 * yearOfEra + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100))
  const monthShifted = Math.floor((5 * dayOfYear + 2) / 153)
  const day = dayOfYear - Math.floor((153 * monthShifted + 2) / 5) + 1
  const month = monthShifted < 10 ? monthShifted + 3 : monthShifted - 9
  const year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
  return year * 10_000 + month * 100 + day
}

function labelAt(zone: string, moment: number): DayLabel {
  if (zone === 'UTC') return labelOfDayNumber(Math.floor(moment / DAY_MS))
  let year = 0
  let month = 0
  let day = 0
  for (const part of formatOf(zone).formatToParts(moment)) {
    if (part.type === 'year') year = Number(part.value)
    else if (part.type === 'month') month = Number(part.value)
    else if (part.type === 'day') day = Number(part.value)
  }
  return year * 10_000 + month * 100 + day
}

function minuteAt(zone: string, moment: number): number {
  if (zone === 'UTC') return Math.floor((moment % DAY_MS) / MINUTE_MS)
  let hour = 0
  let minute = 0
  for (const part of formatOf(zone).formatToParts(moment)) {
    if (part.type === 'hour') hour = Number(part.value)
    else if (part.type === 'minute') minute = Number(part.value)
  }
  return hour * 60 + minute
}

/** The first instant whose local date is `label` or later: exact also where a clock change skips midnight. */
function startOf(zone: string, label: DayLabel): number {
  const noonless = utcDayNumber(label) * DAY_MS
  if (zone === 'UTC') return noonless
  let before = noonless - OFFSET_MS_MAX
  let from = noonless + OFFSET_MS_MAX
  while (from - before > 1) {
    const middle = Math.floor((before + from) / 2)
    if (labelAt(zone, middle) >= label) from = middle
    else before = middle
  }
  return from
}

/** Chosen: a zone that this runtime does not know counts as UTC, so that a bad fact stops no engine. */
function formatOf(zone: string): Intl.DateTimeFormat {
  let format = formats.get(zone)
  if (format === undefined) {
    try {
      format = formatIn(zone)
    } catch {
      format = formatIn('UTC')
    }
    if (formats.size >= ZONES_MAX) formats.clear()
    formats.set(zone, format)
  }
  return format
}

function formatIn(zone: string): Intl.DateTimeFormat {
  return new Intl.DateTimeFormat('en-US', {
    timeZone: zone,
    calendar: 'gregory',
    numberingSystem: 'latn',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    hourCycle: 'h23',
  })
}
