// The windows and limits of a card that counts in calendar windows only: the same for all messages
// of a day. Part of gather.
import { packParts } from '../../shared/wire/decision-writer.ts'
import { calendarDay } from '../state/calendar.ts'
import type { CachedCard, CachedOwner } from './card-cache.ts'
import {
  addCalendarKey,
  type Counting,
  type DefaultWindows,
  type PlacedLimit,
  placedLimit,
  type Windows,
} from './limit-views.ts'

const UTC = 'UTC'

/**
 * Returns the windows of program, cardholder and card, in UTC and the program's zone. Meters are
 * looked up until they exist.
 */
export function defaultWindows(counting: Counting, known: CachedCard): DefaultWindows {
  const { nowMs, state } = counting
  const zone = known.program.time_zone
  const utcDay = calendarDay(UTC, nowMs).label
  const zoneDay = zone === UTC ? utcDay : calendarDay(zone, nowMs).label
  const { windows } = known
  if (windows === null || known.utcDay !== utcDay || known.zoneDay !== zoneDay) {
    known.utcDay = utcDay
    known.zoneDay = zoneDay
    known.windows = windowsOf(counting, known)
    known.packed = null
    return known.windows
  }
  const { keys, meters } = windows
  for (let place = 0; place < meters.length; place++) {
    if (meters[place] !== -1) continue
    const [subject, keyZone, currency] = keys[place] as Windows['keys'][number]
    meters[place] = state.meters.find(subject, keyZone, currency)
  }
  known.packed ??= packParts(known.record, keys)
  return windows
}

function windowsOf(counting: Counting, { owners, program }: CachedCard): DefaultWindows {
  const windows: Windows = { keys: [], meters: [] }
  for (const { subject } of owners) {
    addCalendarKey(windows, counting, subject, UTC)
    addCalendarKey(windows, counting, subject, program.time_zone)
  }
  const limits: PlacedLimit[] = []
  for (const owner of owners) limits.push(...limitsOf(counting, owner, windows))
  return { keys: windows.keys, meters: windows.meters, limits }
}

function limitsOf(counting: Counting, owner: CachedOwner, windows: Windows): PlacedLimit[] {
  const placed: PlacedLimit[] = []
  for (const { limits } of owner.controls?.counted ?? []) {
    for (const counted of limits) {
      const limit = placedLimit(counting, owner, counted, windows)
      if (limit !== null) placed.push(limit)
    }
  }
  return placed
}
