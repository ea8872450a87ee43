// The card may be used at certain hours of certain days, by the clock of a zone, whenever that is set forward or back. Open in
// any period of a control is open.
import type { ScheduleFact } from '../../shared/wire/facts.ts'
import { calendarDay, minuteOfDay, weekdayOf } from '../state/calendar.ts'
import { controlRule } from './control-rule.ts'
import { type MutableTraceRow, traceRow } from './rule.ts'

export const withinSchedule = controlRule({
  id: 'within_schedule',
  concerns: (control) => control.schedule.length > 0,
  rowOf({ receivedAtMs }, { scope, control }) {
    let row: MutableTraceRow | null = null
    for (const period of control.schedule) {
      const { time_zone: zone } = period
      const weekday = weekdayOf(calendarDay(zone, receivedAtMs).label)
      const minute = minuteOfDay(zone, receivedAtMs)
      const open = isOpen(period, weekday, minute)
      row = traceRow('within_schedule', scope, control.id, zone, weekday, minute, open)
      if (open) break
    }
    return row
  },
  decide: (row) => (row[8] === true ? null : 'schedule_blocked'),
})

function isOpen(period: ScheduleFact, weekday: number, minute: number): boolean {
  const { days, from_minute: from, until_minute: until } = period
  return days.includes(weekday) && minute >= from && minute < until
}
