// One version of a control in the engine's form: names of categories are codes, hours are minutes
// of the day.
import { assert } from '../../../shared/assert.ts'
import { categoryMccs } from '../../../shared/mcc-categories.ts'
import { isMinorUnits } from '../../../shared/money.ts'
import {
  type ControlLimit,
  type ControlTerms,
  type Filters,
  type SchedulePeriod,
  WEEKDAYS,
} from '../../../shared/schemas/spending-control.ts'
import type {
  ControlConfig,
  LimitConfig,
  LimitFilter,
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
    mccs: listRule(
      codes(terms.allowed_mccs, terms.allowed_categories),
      codes(terms.blocked_mccs, terms.blocked_categories),
    ),
    merchants: listRule(terms.allowed_merchant_ids, terms.blocked_merchant_ids),
    countries: listRule(terms.allowed_countries, terms.blocked_countries),
    currencies: listRule(terms.allowed_currencies, terms.blocked_currencies),
    entry_methods: listRule(terms.allowed_entry_methods, terms.blocked_entry_methods),
    card_presence: listRule(terms.allowed_card_presence, terms.blocked_card_presence),
    kinds: listRule(terms.allowed_kinds, terms.blocked_kinds),
    wallets: listRule(terms.allowed_wallets, terms.blocked_wallets),
    schedule: terms.schedule.map(scheduleConfig),
    limits: terms.limits.map(limitConfig),
    authentication: terms.authentication,
    fallback: terms.fallback,
    single_use: terms.single_use,
    merchant_lock: terms.merchant_lock,
    cancel_after: terms.cancel_after,
  }
}

type Values = readonly string[] | null

function listRule(allowed: Values, blocked: Values): ListRule | null {
  if (allowed !== null) return { mode: 'allow', values: allowed }
  return blocked === null ? null : { mode: 'block', values: blocked }
}

/** Returns codes, ranges and the codes of names, each once; null if neither list is set. */
function codes(mccs: Values, categories: Values): Values {
  if (mccs === null && categories === null) return null
  const named = (categories ?? []).flatMap((category) => categoryMccs(category) ?? [])
  return [...new Set([...(mccs ?? []), ...named])]
}

function limitConfig(limit: ControlLimit): LimitConfig {
  const { filters, amount_cents, ...rest } = limit
  assert(amount_cents === null || isMinorUnits(amount_cents), 'validation let only amounts pass')
  return { ...rest, amount_cents, filter: filters === null ? null : limitFilter(filters) }
}

function limitFilter(filters: Filters): LimitFilter {
  const { countries, kinds, card_presence } = filters
  return {
    mccs: codes(filters.mccs, filters.categories),
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
