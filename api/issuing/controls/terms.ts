// Turns the caller's input into the terms of a control, or refuses it with the name of the field.
import type { EpochMs } from '../../../shared/clock.ts'
import {
  type ControlTerms,
  type ControlTermsInput,
  type ListField,
  type SchedulePeriod,
  type SchedulePeriodInput,
  WEEKDAYS,
} from '../../../shared/schemas/spending-control.ts'
import { Refusal } from '../../http/refusal.ts'
import { newLimits, zoneOf } from './limits.ts'
import type { SubjectRow } from './store.ts'
import { refuseUnknownValues } from './values.ts'

/** Codes and names of categories are one dimension: an authorization has one code. */
const DIMENSIONS: readonly (readonly [allowed: ListField[], blocked: ListField[]])[] = [
  [
    ['allowed_mccs', 'allowed_categories'],
    ['blocked_mccs', 'blocked_categories'],
  ],
  [['allowed_merchant_ids'], ['blocked_merchant_ids']],
  [['allowed_countries'], ['blocked_countries']],
  [['allowed_currencies'], ['blocked_currencies']],
  [['allowed_entry_methods'], ['blocked_entry_methods']],
  [['allowed_card_presence'], ['blocked_card_presence']],
  [['allowed_kinds'], ['blocked_kinds']],
  [['allowed_wallets'], ['blocked_wallets']],
]

/** Terms without any restriction. */
export const OPEN_TERMS: ControlTerms = {
  allowed_mccs: null,
  blocked_mccs: null,
  allowed_categories: null,
  blocked_categories: null,
  allowed_merchant_ids: null,
  blocked_merchant_ids: null,
  allowed_countries: null,
  blocked_countries: null,
  allowed_currencies: null,
  blocked_currencies: null,
  allowed_entry_methods: null,
  blocked_entry_methods: null,
  allowed_card_presence: null,
  blocked_card_presence: null,
  allowed_kinds: null,
  blocked_kinds: null,
  allowed_wallets: null,
  blocked_wallets: null,
  authentication: null,
  fallback: null,
  single_use: null,
  merchant_lock: false,
  cancel_after: null,
  schedule: [],
  limits: [],
}

/** Returns `held` with the caller's fields in place of its own. */
export function newTerms(
  held: ControlTerms,
  input: ControlTermsInput,
  { subject, now }: { subject: SubjectRow; now: EpochMs },
): ControlTerms {
  const { schedule, limits, ...fields } = input
  const terms: ControlTerms = {
    ...held,
    ...fields,
    schedule: schedule === undefined ? held.schedule : schedule.map(periodOf),
    limits:
      limits === undefined ? held.limits : newLimits(limits, { held: held.limits, subject, now }),
  }
  for (const [allowed, blocked] of DIMENSIONS) refuseBoth(terms, allowed, blocked)
  refuseUnknownValues(terms, '')
  if (terms.single_use?.mode === 'exact' && terms.single_use.amount_cents === null)
    throw new Refusal('parameter_missing', { param: '/single_use/amount_cents' })
  return terms
}

function refuseBoth(terms: ControlTerms, allowed: ListField[], blocked: ListField[]): void {
  const one = allowed.find((field) => terms[field] !== null)
  const other = blocked.find((field) => terms[field] !== null)
  if (one === undefined || other === undefined) return
  throw new Refusal('parameters_exclusive', {
    param: other,
    message: one + ' and ' + other + ' cannot be used together. Set one of them to null.',
  })
}

/**
 * Chosen: a period lies within one day; a period over midnight is written as two. Without days a
 * period covers all seven.
 */
function periodOf(input: SchedulePeriodInput, index: number): SchedulePeriod {
  const { days = WEEKDAYS, from = '00:00', until = '24:00' } = input
  const at = '/schedule/' + index
  const time_zone = zoneOf(input.time_zone, at + '/time_zone')
  if (from >= until) {
    throw new Refusal('parameter_invalid', {
      param: at + '/until',
      message: 'This field must be later than from. Write a period over midnight as two.',
    })
  }
  return { days: WEEKDAYS.filter((day) => days.includes(day)), from, until, time_zone }
}
