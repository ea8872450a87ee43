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

/** Whose windows they are, and what distinguishes those of a draft. */
export interface WindowOwner {
  readonly scope: ControlScope
  /** The program, the cardholder, or what a card's windows are kept by. */
  readonly subject: string
  /** Empty, or `draft:<control>`. */
  readonly prefix: string
}

/** Adds the windows of a calendar, unless they are there already. */
export function addCalendarKey(
  keys: MeterKey[],
  { currency, nowMs }: Counting,
  subject: string,
  zone: string,
): void {
  if (keyIn(keys, subject, zone, '') === null)
    keys.push([subject, zone, currency, calendarDay(zone, nowMs).label])
}

/**
 * Adds the views of the limits that count this message, and the windows they need. Chosen: a limit in another currency than
 * the card's does not bind: amounts of two currencies are never compared.
 */
export function addLimits(
  counting: Counting,
  owner: WindowOwner,
  limits: readonly LimitFact[],
  into: { limits: LimitView[]; keys: MeterKey[] },
): void {
  for (const limit of limits) {
    if (limit.currency !== counting.currency) continue
    if (!passesFilter(limit.filter, counting.message)) continue
    const key = limit.interval === 'per_authorization' ? null : keyOf(counting, owner, limit, into)
    into.limits.push(viewOf(counting, owner.scope, limit, key))
  }
}

/** The largest sum that one of these windows holds, reservations included. */
export function largestCounted(state: DecisionState, keys: readonly MeterKey[]): number {
  let largest = 0
  for (const [subject, zone, currency, at, filter] of keys) {
    const meter = state.meters.find(subject, zone, currency, filter)
    if (meter === -1) continue
    const sum = state.meters.used(meter, ALL_TIME, at) + state.meters.reserved(meter, ALL_TIME, at)
    if (sum > largest) largest = sum
  }
  return largest
}

/** The windows of a limit, which become windows of the message. */
function keyOf(
  { currency, nowMs }: Counting,
  { subject, prefix }: WindowOwner,
  limit: LimitFact,
  { keys }: { keys: MeterKey[] },
): MeterKey {
  const { rolling_seconds: seconds } = limit
  const zone = seconds === null ? limit.time_zone : rollingZone(seconds)
  const text = filterText(limit.filter)
  const filter = prefix === '' || text === '' ? prefix + text : prefix + ' ' + text
  const known = keyIn(keys, subject, zone, filter)
  if (known !== null) return known
  const at = seconds === null ? calendarDay(zone, nowMs).label : tenthOf(nowMs)
  const key: MeterKey =
    filter === '' ? [subject, zone, currency, at] : [subject, zone, currency, at, filter]
  keys.push(key)
  return key
}

function keyIn(
  keys: readonly MeterKey[],
  subject: string,
  zone: string,
  filter: string,
): MeterKey | null {
  // From the end: the subject's own stand there.
  for (let index = keys.length - 1; index >= 0; index--) {
    const key = keys[index] as MeterKey
    if (key[0] === subject && key[1] === zone && (key[4] ?? '') === filter) return key
  }
  return null
}

function viewOf(
  { state, nowMs }: Counting,
  scope: ControlScope,
  limit: LimitFact,
  key: MeterKey | null,
): LimitView {
  const { interval, rolling_seconds: seconds } = limit
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
  else {
    const bounds = windowBounds(calendarDay(limit.time_zone, nowMs), interval as LimitInterval)
    view.startMs = bounds.startMs
    view.endMs = bounds.endMs
  }
  if (key === null) return view
  const { meters } = state
  const meter = meters.find(key[0], key[1], key[2], key[4])
  if (meter === -1) return view
  const place = CALENDAR_INTERVALS.indexOf(interval as (typeof CALENDAR_INTERVALS)[number])
  view.used = meters.used(meter, place, key[3])
  view.reserved = meters.reserved(meter, place, key[3])
  view.usedCount = meters.usedCount(meter, place, key[3])
  view.reservedCount = meters.reservedCount(meter, place, key[3])
  return view
}
