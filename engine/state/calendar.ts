// Calendar windows in IANA zones. Pure: every result follows from zone and moment; the last result
// per zone is cached.
import type { LimitInterval } from '../../shared/wire/config-records.ts'

/** A civil date as one number, 20261120: later dates are larger. */
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
  /**
   * In a zone other than UTC a bound costs about thirty conversions of a moment, so each is
   * computed once a day.
   */
  readonly bounds: Map<LimitInterval, WindowBounds>
}

export interface WindowBounds {
  readonly startMs: number | null
  readonly endMs: number | null
}

const DAY_MS = 86_400_000
/** The largest offset from UTC is 14 hours; one more for safety. */
const OFFSET_MS_MAX = 15 * 3_600_000
const ZONES_MAX = 700

const MINUTE_MS = 60_000
/** Every zone's clock changes at a quarter of an hour of UTC, and to one. */
const QUARTER_MS = 15 * MINUTE_MS

/** The last result for a zone. */
interface ZoneClock {
  /** Null for UTC, where a division is enough. */
  readonly format: Intl.DateTimeFormat | null
  day: CalendarDay | null
  quarter: { readonly startMs: number; readonly minute: number } | null
}

const clocks = new Map<string, ZoneClock>()

/** Returns the local day of a moment. Costs a comparison within the same day. */
export function calendarDay(zone: string, now: number): CalendarDay {
  const clock = clockOf(zone)
  const known = clock.day
  if (known !== null && now >= known.startMs && now < known.endMs) return known
  const label = labelAt(clock, now)
  const day = {
    zone,
    label,
    weekday: weekdayOf(label),
    startMs: startOf(clock, label),
    endMs: startOf(clock, addDays(label, 1)),
    bounds: new Map<LimitInterval, WindowBounds>(),
  }
  clock.day = day
  return day
}

/**
 * First and last instant of the window around a day; null if the interval has no end (all_time) or
 * start.
 */
export function windowBounds(day: CalendarDay, interval: LimitInterval): WindowBounds {
  let found = day.bounds.get(interval)
  if (found === undefined) {
    found = boundsOf(day, interval)
    day.bounds.set(interval, found)
  }
  return found
}

function boundsOf(day: CalendarDay, interval: LimitInterval): WindowBounds {
  const { label } = day
  const clock = clockOf(day.zone)
  switch (interval) {
    case 'daily':
      return { startMs: day.startMs, endMs: day.endMs }
    case 'weekly': {
      const monday = weekOf(label)
      return { startMs: startOf(clock, monday), endMs: startOf(clock, addDays(monday, 7)) }
    }
    case 'monthly': {
      const first = monthOf(label) * 100 + 1
      // After December the thirteenth month begins, which is the next January.
      return { startMs: startOf(clock, first), endMs: startOf(clock, first + 100) }
    }
    case 'yearly': {
      const year = yearOf(label)
      return {
        startMs: startOf(clock, year * 10_000 + 101),
        endMs: startOf(clock, (year + 1) * 10_000 + 101),
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

/** Minutes since midnight on the zone's clock, which jumps at clock changes. */
export function minuteOfDay(zone: string, now: number): number {
  const clock = clockOf(zone)
  const known = clock.quarter
  if (known !== null && now >= known.startMs && now < known.startMs + QUARTER_MS)
    return known.minute + Math.floor((now - known.startMs) / MINUTE_MS)
  const startMs = Math.floor(now / QUARTER_MS) * QUARTER_MS
  const minute = minuteAt(clock, startMs)
  clock.quarter = { startMs, minute }
  return minute + Math.floor((now - startMs) / MINUTE_MS)
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

/**
 * Civil date of a day number since the epoch (Howard Hinnant's algorithm, valid for all dates we
 * meet).
 */
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

function labelAt({ format }: ZoneClock, moment: number): DayLabel {
  if (format === null) return labelOfDayNumber(Math.floor(moment / DAY_MS))
  const [month, day, year] = shownAt(format, moment)
  return Number(year) * 10_000 + Number(month) * 100 + Number(day)
}

function minuteAt({ format }: ZoneClock, moment: number): number {
  if (format === null) return Math.floor((moment % DAY_MS) / MINUTE_MS)
  const [, , , hour, minute] = shownAt(format, moment)
  return Number(hour) * 60 + Number(minute)
}

/** Returns the numbers of a moment as the format writes it: `11/20/2026, 14:05`. */
function shownAt(format: Intl.DateTimeFormat, moment: number): readonly string[] {
  return format.format(moment).split(/\D+/)
}

/**
 * Returns the first instant whose local date is `label` or later: exact even if a clock change
 * skips midnight.
 */
function startOf(clock: ZoneClock, label: DayLabel): number {
  const noonless = utcDayNumber(label) * DAY_MS
  if (clock.format === null) return noonless
  let before = noonless - OFFSET_MS_MAX
  let from = noonless + OFFSET_MS_MAX
  while (from - before > 1) {
    const middle = Math.floor((before + from) / 2)
    if (labelAt(clock, middle) >= label) from = middle
    else before = middle
  }
  return from
}

function clockOf(zone: string): ZoneClock {
  let clock = clocks.get(zone)
  if (clock === undefined) {
    clock = { format: zone === 'UTC' ? null : formatOf(zone), day: null, quarter: null }
    if (clocks.size >= ZONES_MAX) clocks.clear()
    clocks.set(zone, clock)
  }
  return clock
}

/** Chosen: a zone unknown to this runtime counts as UTC, so a bad config record stops no engine. */
function formatOf(zone: string): Intl.DateTimeFormat {
  try {
    return formatIn(zone)
  } catch {
    return formatIn('UTC')
  }
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
