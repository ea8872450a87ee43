// A control may allow the card at certain hours of certain days, by the clock of a zone, including
// clock changes. One open period of a control is enough.
import { RULE_CATALOG } from '../../shared/rule-catalog.ts'
import type { ScheduleConfig } from '../../shared/wire/config-records.ts'
import { calendarDay, minuteOfDay } from '../state/calendar.ts'
import type { ControlRule } from './control-rule.ts'
import type { MutableTraceRow } from './rule.ts'

const { number: NUMBER, version: VERSION } = RULE_CATALOG.within_schedule

export const withinSchedule: ControlRule<readonly ScheduleConfig[]> = {
  id: 'within_schedule',
  asks: (control) => (control.schedule.length > 0 ? control.schedule : null),
  rowOf({ receivedAtMs }, { scope }, asker, schedule) {
    let row: MutableTraceRow | null = null
    for (const period of schedule) {
      const { time_zone: zone } = period
      const { weekday } = calendarDay(zone, receivedAtMs)
      const minute = minuteOfDay(zone, receivedAtMs)
      const open = isOpen(period, weekday, minute)
      row = [NUMBER, VERSION, 0, scope, asker, zone, weekday, minute, open]
      if (open) break
    }
    return row
  },
  decide: (row) => (row[8] === true ? null : 'schedule_blocked'),
}

function isOpen(period: ScheduleConfig, weekday: number, minute: number): boolean {
  const { days, from_minute: from, until_minute: until } = period
  return days.includes(weekday) && minute >= from && minute < until
}
