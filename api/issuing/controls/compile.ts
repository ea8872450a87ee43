// One version of a control in the engine's form: names of categories are codes, hours are minutes
// of the day.
import { assert } from '../../../shared/assert.ts'
import { categoryMccs } from '../../../shared/mcc-categories.ts'
import { isMinorUnits } from '../../../shared/money.ts'
import {
  type ControlLimit,
  type Filters,
  type SchedulePeriod,
  WEEKDAYS,
} from '../../../shared/schemas/control-limit.ts'
import {
  type ControlTerms,
  DIMENSIONS,
  type ListName,
  SINGLE_TERMS,
} from '../../../shared/schemas/spending-control.ts'
import type {
  ControlConfig,
  LimitConfig,
  LimitFilter,
  ListDimension,
  ListRule,
  ScheduleConfig,
} from '../../../shared/wire/config-records.ts'
import type { ControlState } from './view.ts'

/** Returns null if the state binds no card. `newTerms` accepted these terms. */
export function compileControl(
  control: { id: string; version: number; state: ControlState },
  terms: ControlTerms,
): ControlConfig | null {
  const { id, version, state } = control
  if (state === 'retired') return null
  return {
    id,
    version,
    state,
    ...listRules(terms),
    ...singleTerms(terms),
    schedule: terms.schedule.map(scheduleConfig),
    limits: terms.limits.map(limitConfig),
  }
}

type ListRules = { [Dimension in ListDimension]: ListRule | null }
type SingleTerms = Pick<ControlTerms, (typeof SINGLE_TERMS)[number]>

function listRules(terms: ControlTerms): ListRules {
  const rules = Object.entries(DIMENSIONS).map(([dimension, lists]) => [
    dimension,
    listRule(
      valuesOf(lists, (list) => terms[`allowed_${list}`]),
      valuesOf(lists, (list) => terms[`blocked_${list}`]),
    ),
  ])
  return Object.fromEntries(rules) as ListRules
}

function singleTerms(terms: ControlTerms): SingleTerms {
  return Object.fromEntries(SINGLE_TERMS.map((name) => [name, terms[name]])) as SingleTerms
}

type Values = readonly string[] | null

function listRule(allowed: Values, blocked: Values): ListRule | null {
  if (allowed !== null) return { mode: 'allow', values: allowed }
  return blocked === null ? null : { mode: 'block', values: blocked }
}

/** The values of all lists of one dimension; null if none is set. */
function valuesOf<List extends ListName>(
  lists: readonly List[],
  of: (list: List) => Values,
): Values {
  if (lists.every((list) => of(list) === null)) return null
  const all = lists.flatMap((list) => (list === 'categories' ? codes(of(list)) : (of(list) ?? [])))
  return [...new Set(all)]
}

/** The codes and ranges of named categories. */
function codes(categories: Values): string[] {
  return (categories ?? []).flatMap((category) => categoryMccs(category) ?? [])
}

function limitConfig(limit: ControlLimit): LimitConfig {
  const { filters, amount_cents, ...rest } = limit
  assert(amount_cents === null || isMinorUnits(amount_cents), 'validation let only amounts pass')
  return { ...rest, amount_cents, filter: filters === null ? null : limitFilter(filters) }
}

function limitFilter(filters: Filters): LimitFilter {
  const { countries, kinds, card_presence } = filters
  return {
    mccs: valuesOf(['mccs', 'categories'], (list) => filters[list]),
    countries,
    kinds,
    card_present: card_presence === null ? null : card_presence === 'present',
  }
}

function scheduleConfig({ days, from, until, time_zone }: SchedulePeriod): ScheduleConfig {
  return {
    days: days.map((day) => WEEKDAYS.indexOf(day) + 1),
    from_minute: minuteOf(from),
    until_minute: minuteOf(until),
    time_zone,
  }
}

/** Returns the minute of the day: `08:30` is 510, `24:00` is 1440. */
function minuteOf(hour: string): number {
  return Number(hour.slice(0, 2)) * 60 + Number(hour.slice(3))
}
