// The limits of a control, from the caller's input to the stored form. A limit of the same
// interval, zone and filters keeps its id, so declines before and after a change name the same
// limit.
import { isDeepStrictEqual } from 'node:util'
import type { EpochMs } from '../../../shared/clock.ts'
import { newId } from '../../../shared/id.ts'
import { isCurrency } from '../../../shared/money.ts'
import type {
  ControlLimit,
  ControlLimitInput,
  Filters,
  FiltersInput,
} from '../../../shared/schemas/control-limit.ts'
import { timeZoneName } from '../../../shared/time-zone.ts'
import { Refusal } from '../../http/refusal.ts'
import type { SubjectRow } from './store.ts'
import { refuseUnknownValues } from './values.ts'

/** Chosen: days of a limit and hours of a schedule are in UTC unless it names a zone. */
const TIME_ZONE_DEFAULT = 'UTC'

export interface LimitsBefore {
  /** The limits to replace. */
  held: readonly ControlLimit[]
  subject: SubjectRow
  now: EpochMs
}

/** Returns the limits in the caller's order; refuses two limits that would count the same. */
export function newLimits(
  inputs: readonly ControlLimitInput[],
  before: LimitsBefore,
): ControlLimit[] {
  const limits: ControlLimit[] = []
  for (const [index, input] of inputs.entries()) {
    const at = '/limits/' + index
    const limit = limitOf(input, at, before)
    if (limits.some((other) => countsTheSame(other, limit))) {
      throw new Refusal('parameter_invalid', {
        param: at,
        message: 'There may be one limit per interval, time zone and filters.',
      })
    }
    limits.push(limit)
  }
  return limits
}

/** Returns the zone's name for counting windows. */
export function zoneOf(text: string | undefined, param: string): string {
  const name = timeZoneName(text ?? TIME_ZONE_DEFAULT)
  if (name !== null) return name
  throw new Refusal('parameter_invalid', {
    param,
    message: 'This field must be an IANA time zone such as Europe/Berlin.',
  })
}

function limitOf(
  input: ControlLimitInput,
  at: string,
  { held, subject, now }: LimitsBefore,
): ControlLimit {
  const { interval, amount_cents = null, count = null } = input
  if (amount_cents === null && count === null)
    throw new Refusal('parameter_missing', { param: at + '/amount_cents' })
  if (interval === 'per_authorization' && count !== null) {
    throw new Refusal('parameter_invalid', {
      param: at + '/count',
      message: 'A single authorization has an amount and no number.',
    })
  }
  const limit: ControlLimit = {
    id: '',
    interval,
    amount_cents,
    count,
    currency: currencyOf(input.currency, subject, at + '/currency'),
    time_zone: zoneOf(input.time_zone, at + '/time_zone'),
    rolling_seconds: rollingOf(input, at + '/rolling_seconds'),
    filters: filtersOf(input.filters ?? null, at + '/filters'),
  }
  const same = held.find((other) => countsTheSame(other, limit))
  return { ...limit, id: same?.id ?? newId('lim', now) }
}

/**
 * Chosen: a card has one currency, and limits in another would never bind; others must say which
 * currency they mean.
 */
function currencyOf(given: string | undefined, subject: SubjectRow, param: string): string {
  const currency = given ?? subject.currency
  if (currency === null) throw new Refusal('parameter_missing', { param })
  if (subject.currency !== null && currency !== subject.currency) {
    throw new Refusal('parameter_invalid', {
      param,
      message: 'This field must be the currency of the card, ' + subject.currency + '.',
    })
  }
  if (isCurrency(currency)) return currency
  throw new Refusal('parameter_invalid', {
    param,
    message: currency + ' is no currency that is known here.',
  })
}

function rollingOf(input: ControlLimitInput, param: string): number | null {
  const seconds = input.rolling_seconds ?? null
  if (input.interval === 'rolling' && seconds === null)
    throw new Refusal('parameter_missing', { param })
  if (input.interval !== 'rolling' && seconds !== null) {
    throw new Refusal('parameter_invalid', {
      param,
      message: 'Only a rolling limit has rolling_seconds.',
    })
  }
  return seconds
}

function filtersOf(input: FiltersInput | null, at: string): Filters | null {
  if (input === null) return null
  const filters: Filters = {
    mccs: input.mccs ?? null,
    categories: input.categories ?? null,
    countries: input.countries ?? null,
    kinds: input.kinds ?? null,
    card_presence: input.card_presence ?? null,
  }
  refuseUnknownValues(filters, at)
  return Object.values(filters).every((filter) => filter === null) ? null : filters
}

function countsTheSame(one: ControlLimit, other: ControlLimit): boolean {
  return (
    one.interval === other.interval &&
    one.time_zone === other.time_zone &&
    one.currency === other.currency &&
    one.rolling_seconds === other.rolling_seconds &&
    isDeepStrictEqual(one.filters, other.filters)
  )
}
