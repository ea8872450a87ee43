// Turns the caller's input into the terms of a control, or refuses it with the name of the field.
import type { EpochMs } from '../../../shared/clock.ts'
import {
  type SchedulePeriod,
  type SchedulePeriodInput,
  WEEKDAYS,
} from '../../../shared/schemas/control-limit.ts'
import {
  type ControlTerms,
  type ControlTermsInput,
  DIMENSIONS,
  type ListName,
} from '../../../shared/schemas/spending-control.ts'
import { Refusal } from '../../http/refusal.ts'
import { newLimits, zoneOf } from './limits.ts'
import type { SubjectRow } from './store.ts'
import { refuseUnknownValues } from './values.ts'

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
  for (const lists of Object.values(DIMENSIONS)) refuseBoth(terms, lists)
  refuseUnknownValues(terms, '')
  if (terms.single_use?.mode === 'exact' && terms.single_use.amount_cents === null)
    throw new Refusal('parameter_missing', { param: '/single_use/amount_cents' })
  return terms
}

function refuseBoth(terms: ControlTerms, lists: readonly ListName[]): void {
  const one = lists.map((list) => `allowed_${list}` as const).find((list) => terms[list] !== null)
  const other = lists.map((list) => `blocked_${list}` as const).find((list) => terms[list] !== null)
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
