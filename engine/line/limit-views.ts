// Limits and the windows they are compared with. Chosen: the intervals are counted in UTC and in the program's zone always; a
// limit in another zone, with a filter, or over rolling seconds has windows of its own, which begin when it does. Part of gather.
import type { ControlScope, LimitFact, LimitInterval } from '../../shared/wire/facts.ts'
import type { MessageRecord, MeterKey } from '../../shared/wire/journal-entry.ts'
import type { LimitView } from '../rules/rule.ts'
import { CALENDAR_INTERVALS, calendarDay, windowBounds } from '../state/calendar.ts'
import type { DecisionState } from '../state/decision-state.ts'
import { rollingZone, tenthOf } from '../state/rolling.ts'
import { filterText, passesFilter } from './limit-filter.ts'

const ALL_TIME = CALENDAR_INTERVALS.indexOf('all_time')

/** What a message is counted by, the same for all its windows. */
export interface Counting {
  readonly state: DecisionState
  readonly message: MessageRecord
  readonly currency: string
  readonly nowMs: number
}

/** The windows a message would count in. */
export interface Windows {
  readonly keys: MeterKey[]
  /** The meter of each, -1 where nothing was ever counted. */
  readonly meters: number[]
}

/** A limit with what distinguishes its windows from others of its subject: found out once for a fact. */
export interface CountedLimit {
  readonly limit: LimitFact
  /** The zone its windows have, or what stands in its place. */
  readonly zone: string
  /** What its windows count, as text. */
  readonly filter: string
  /** Place in CALENDAR_INTERVALS; -1 where it is none of a calendar. */
  readonly interval: number
}

/** The limits of one control. `prefix` distinguishes the windows of a draft: empty, or `draft:<control>`. */
export function countedLimits(
  limits: readonly LimitFact[],
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

/** Adds the windows of a calendar, unless they are there already. */
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

/**
 * Adds the views of the limits that count this message, and the windows they need; `subject` is the program, the cardholder, or
 * what a card's windows are kept by. Chosen: a limit in another currency than the card's does not bind: amounts of two
 * currencies are never compared.
 */
export function addLimits(
  counting: Counting,
  { scope, subject }: { scope: ControlScope; subject: string },
  limits: readonly CountedLimit[],
  into: Windows & { readonly limits: LimitView[] },
): void {
  for (const counted of limits) {
    const { limit } = counted
    if (limit.currency !== counting.currency) continue
    if (!passesFilter(limit.filter, counting.message)) continue
    const view = viewOf(scope, counted, counting.nowMs)
    into.limits.push(view)
    if (limit.interval === 'per_authorization') continue
    const place = windowsOf(counting, subject, counted, into)
    const meter = into.meters[place] as number
    if (meter === -1) continue
    const at = (into.keys[place] as MeterKey)[3]
    counting.state.meters.read(meter, counted.interval, at, view)
  }
}

/** The largest sum that one of these windows holds, reservations included. */
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

/** The place of a limit's windows, which become windows of the message. */
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

/** Where the windows stand among these, or -1. */
function placeOf(keys: readonly MeterKey[], subject: string, zone: string, filter: string): number {
  // From the end: the subject's own stand there.
  for (let place = keys.length - 1; place >= 0; place--) {
    const key = keys[place] as MeterKey
    if (key[0] === subject && key[1] === zone && (key[4] ?? '') === filter) return place
  }
  return -1
}

/** A limit whose windows hold nothing. */
function viewOf(scope: ControlScope, { limit, interval }: CountedLimit, nowMs: number): LimitView {
  const { rolling_seconds: seconds } = limit
  const view: LimitView = {
    scope,
    limit,
    used: 0,
    reserved: 0,
    usedCount: 0,
    reservedCount: 0,
    startMs: null,
    endMs: null,
  }
  if (seconds !== null) view.startMs = nowMs - seconds * 1000
  else if (interval !== -1) {
    const day = calendarDay(limit.time_zone, nowMs)
    const bounds = windowBounds(day, limit.interval as LimitInterval)
    view.startMs = bounds.startMs
    view.endMs = bounds.endMs
  }
  return view
}
