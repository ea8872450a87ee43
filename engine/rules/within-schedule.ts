// The card may be used at certain hours of certain days, by the clock of a zone. Open in any period of a control is open; a
// period whose end is before its begin lasts into the next day, and belongs to the day it began on.
import type { ScheduleFact } from '../../shared/wire/facts.ts'
import { calendarDay, minuteOfDay, weekdayOf } from '../state/calendar.ts'
import { controlRule } from './control-rule.ts'
import { traceRow } from './rule.ts'

export const withinSchedule = controlRule({
  id: 'within_schedule',
  concerns: (control) => control.schedule.length > 0,
  rowOf({ receivedAtMs }, { scope, control }) {
    let period: ScheduleFact | undefined
    for (const candidate of control.schedule) {
      period = candidate
      if (isOpen(candidate, receivedAtMs)) break
    }
    if (period === undefined) return null
    return traceRow(
      'within_schedule',
      scope,
      control.id,
      period.time_zone,
      weekdayOf(calendarDay(period.time_zone, receivedAtMs).label),
      minuteOfDay(period.time_zone, receivedAtMs),
      isOpen(period, receivedAtMs),
    )
  },
  decide: (row) => (row[8] === true ? null : 'schedule_blocked'),
})

function isOpen(period: ScheduleFact, atMs: number): boolean {
  const { days, from_minute: from, until_minute: until, time_zone: zone } = period
  const weekday = weekdayOf(calendarDay(zone, atMs).label)
  const minute = minuteOfDay(zone, atMs)
  if (from < until) return days.includes(weekday) && minute >= from && minute < until
  if (minute >= from) return days.includes(weekday)
  return minute < until && days.includes(weekday === 1 ? 7 : weekday - 1)
}
