// Limits and the windows they are compared with. Chosen: the calendar intervals are always counted
// in UTC and in the program's zone; a limit in another zone, with a filter, or over rolling seconds
// has windows of its own, which begin with the limit. Part of gather.
import type { ControlScope, LimitConfig, LimitInterval } from '../../shared/wire/config-records.ts'
import type { MessageRecord, MeterKey } from '../../shared/wire/journal-entry.ts'
import type { LimitView } from '../rules/rule.ts'
import {
  CALENDAR_INTERVALS,
  calendarDay,
  type WindowBounds,
  windowBounds,
} from '../state/calendar.ts'
import type { DecisionState } from '../state/decision-state.ts'
import { rollingZone, tenthOf } from '../state/rolling.ts'
import { filterText, passesFilter } from './limit-filter.ts'

const ALL_TIME = CALENDAR_INTERVALS.indexOf('all_time')

/** Values for counting a message, the same for all its windows. */
export interface Counting {
  readonly state: DecisionState
  readonly message: MessageRecord
  readonly currency: string
  readonly nowMs: number
}

/** The windows a message would count in. */
export interface Windows {
  readonly keys: MeterKey[]
  /** Meter of each window; -1 if it never counted anything. */
  readonly meters: number[]
}

/** A limit of a subject with its current window. */
export interface PlacedLimit {
  readonly scope: ControlScope
  readonly limit: LimitConfig
  /** Place in CALENDAR_INTERVALS; -1 for a window outside the calendar. */
  readonly interval: number
  readonly startMs: number | null
  readonly endMs: number | null
  /**
   * Place among the windows, and their moment. -1 if the limit applies to each authorization by
   * itself.
   */
  readonly place: number
  readonly at: MeterKey[3]
}

/** Windows that stay the same for a day, with their limits. */
export interface DefaultWindows extends Windows {
  readonly limits: readonly PlacedLimit[]
}

/**
 * A limit with the attributes that distinguish its windows from others of its subject, derived once
 * per config record.
 */
export interface CountedLimit {
  readonly limit: LimitConfig
  /** The zone of its windows, or a substitute for it. */
  readonly zone: string
  /** Filter of its windows, as text. */
  readonly filter: string
  /** Place in CALENDAR_INTERVALS; -1 for a window outside the calendar. */
  readonly interval: number
}

/**
 * Returns the limits of one control. `prefix` distinguishes the windows of a draft: empty, or
 * `draft:<control>`.
 */
export function countedLimits(
  limits: readonly LimitConfig[],
  prefix: string,
): readonly CountedLimit[] {
  const counted: CountedLimit[] = []
  for (const limit of limits) {
    const { rolling_seconds: seconds, interval } = limit
    const text = filterText(limit.filter)
    counted.push({
      limit,
      zone: seconds === null ? limit.time_zone : rollingZone(seconds),
      filter: prefix === '' || text === '' ? prefix + text : prefix + ' ' + text,
      interval: CALENDAR_INTERVALS.indexOf(interval as (typeof CALENDAR_INTERVALS)[number]),
    })
  }
  return counted
}

/** Adds the windows of a calendar, unless they are present. */
export function addCalendarKey(
  windows: Windows,
  { state, currency, nowMs }: Counting,
  subject: string,
  zone: string,
): void {
  if (placeOf(windows.keys, subject, zone, '') !== -1) return
  windows.keys.push([subject, zone, currency, calendarDay(zone, nowMs).label])
  windows.meters.push(state.meters.find(subject, zone, currency))
}

/** Adds the views of the limits that count this message, and the windows they need. */
export function addLimits(
  counting: Counting,
  owner: { scope: ControlScope; subject: string },
  limits: readonly CountedLimit[],
  into: Windows & { readonly limits: LimitView[] },
): void {
  for (const counted of limits) {
    if (!passesFilter(counted.limit.filter, counting.message)) continue
    const placed = placedLimit(counting, owner, counted, into)
    if (placed !== null) into.limits.push(viewOf(counting, placed, into.meters))
  }
}

/**
 * Returns a limit with its window, which is then one of `windows`; `subject` is the program, the
 * cardholder, or the key of a card's windows. Chosen: null if the limit is in another currency than
 * the card's: it does not bind, because amounts of two currencies are never compared.
 */
export function placedLimit(
  counting: Counting,
  { scope, subject }: { scope: ControlScope; subject: string },
  counted: CountedLimit,
  windows: Windows,
): PlacedLimit | null {
  const { limit, interval } = counted
  if (limit.currency !== counting.currency) return null
  const { startMs, endMs } = boundsOf(counted, counting.nowMs)
  if (limit.interval === 'per_authorization')
    return { scope, limit, interval, startMs, endMs, place: -1, at: 0 }
  const place = windowsOf(counting, subject, counted, windows)
  const [, , , at] = windows.keys[place] as MeterKey
  return { scope, limit, interval, startMs, endMs, place, at }
}

/** Returns the content of a limit's window; zeros if the window never counted anything. */
export function viewOf(
  { state }: Counting,
  { scope, limit, interval, startMs, endMs, place, at }: PlacedLimit,
  meters: readonly number[],
): LimitView {
  const view: LimitView = {
    scope,
    limit,
    used: 0,
    reserved: 0,
    usedCount: 0,
    reservedCount: 0,
    startMs,
    endMs,
  }
  const meter = place === -1 ? -1 : (meters[place] as number)
  if (meter !== -1) state.meters.read(meter, interval, at, view)
  return view
}

/** Returns the largest sum in one of these windows, reservations included. */
export function largestCounted({ meters: counted }: DecisionState, windows: Windows): number {
  let largest = 0
  for (let place = 0; place < windows.meters.length; place++) {
    const meter = windows.meters[place] as number
    if (meter === -1) continue
    const at = (windows.keys[place] as MeterKey)[3]
    const sum = counted.used(meter, ALL_TIME, at) + counted.reserved(meter, ALL_TIME, at)
    if (sum > largest) largest = sum
  }
  return largest
}

/** Returns the place of a limit's windows, and adds them to the windows of the message. */
function windowsOf(
  { state, currency, nowMs }: Counting,
  subject: string,
  { limit, zone, filter }: CountedLimit,
  { keys, meters }: Windows,
): number {
  const known = placeOf(keys, subject, zone, filter)
  if (known !== -1) return known
  const at = limit.rolling_seconds === null ? calendarDay(zone, nowMs).label : tenthOf(nowMs)
  meters.push(state.meters.find(subject, zone, currency, filter))
  return (
    keys.push(
      filter === '' ? [subject, zone, currency, at] : [subject, zone, currency, at, filter],
    ) - 1
  )
}

/** Returns the place of the windows among these keys, or -1. */
function placeOf(keys: readonly MeterKey[], subject: string, zone: string, filter: string): number {
  // The search starts at the end, where the subject's own windows are.
  for (let place = keys.length - 1; place >= 0; place--) {
    const key = keys[place] as MeterKey
    if (key[0] === subject && key[1] === zone && (key[4] ?? '') === filter) return place
  }
  return -1
}

/** Returns the start and end of a limit's window. */
function boundsOf({ limit, interval }: CountedLimit, nowMs: number): WindowBounds {
  const { rolling_seconds: seconds } = limit
  if (seconds !== null) return { startMs: nowMs - seconds * 1000, endMs: null }
  if (interval === -1) return UNBOUND
  return windowBounds(calendarDay(limit.time_zone, nowMs), limit.interval as LimitInterval)
}

const UNBOUND: WindowBounds = { startMs: null, endMs: null }
