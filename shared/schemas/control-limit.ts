// The limits and the schedule of a spending control, and the values of its lists. Authorization 4.
import type { Static, TSchema } from 'typebox'
import { CONTROL_KINDS } from '../authorization-kind.ts'
import { Type } from '../schema-builders.ts'
import { LIMIT_INTERVALS } from './card.ts'
import { described } from './described.ts'

/** In the order of their numbers: Monday is 1. */
export const WEEKDAYS = [
  'monday',
  'tuesday',
  'wednesday',
  'thursday',
  'friday',
  'saturday',
  'sunday',
] as const

/** Chosen. */
const LIST_VALUES_MAX = 250
export const COUNT_MAX = 1_000_000_000
/** Authorization 4: ten seconds to ninety days. */
const ROLLING_SECONDS_MIN = 10
const ROLLING_SECONDS_MAX = 7_776_000

export const Amount = Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER })

export const Mcc = Type.String({ pattern: '^[0-9]{4}(-[0-9]{4})?$' })
export const Category = Type.String({ pattern: '^[a-z0-9_]{1,80}$' })
export const Country = Type.String({ pattern: '^[A-Z]{2}$' })
export const Currency = Type.String({ pattern: '^[A-Z]{3}$' })
export const Presence = Type.Enum(['present', 'not_present'])
export const Kind = Type.Enum([...CONTROL_KINDS])
const TimeZone = Type.String({ minLength: 1, maxLength: 64 })

/** Null sets no restriction. An empty allow list allows nothing. */
export function listOf<Item extends TSchema>(item: Item) {
  return Type.Union([
    Type.Array(item, { maxItems: LIST_VALUES_MAX, uniqueItems: true }),
    Type.Null(),
  ])
}

const FILTERS = {
  mccs: described(
    listOf(Mcc),
    'Only these category codes count, four digits or ranges; null: all.',
  ),
  categories: described(listOf(Category), 'Only these named categories count; null: all.'),
  countries: described(
    listOf(Country),
    'Only merchants in these countries count, ISO 3166-1 alpha-2; null: all.',
  ),
  kinds: described(listOf(Kind), 'Only these kinds of authorization requests count; null: all.'),
  card_presence: described(
    Type.Union([Presence, Type.Null()]),
    'Only with the card present, or only without; null: both.',
  ),
}

/** Which authorizations a limit counts. */
const Filters = Type.Object(FILTERS)
export type Filters = Static<typeof Filters>
// Options stand beside the partial: those of the object inside are lost.
const FiltersInput = Type.Partial(Type.Object(FILTERS), { additionalProperties: false })
export type FiltersInput = Static<typeof FiltersInput>

export const ControlLimit = Type.Object({
  id: Type.String(),
  interval: described(
    Type.Enum([...LIMIT_INTERVALS, 'rolling']),
    'The interval of the count: one authorization, a part of the calendar in time_zone, or the last rolling_seconds.',
  ),
  amount_cents: Type.Union([Amount, Type.Null()]),
  count: described(
    Type.Union([Type.Integer(), Type.Null()]),
    'Approved authorizations; null is no limit of their number.',
  ),
  currency: Type.String(),
  time_zone: Type.String(),
  rolling_seconds: described(
    Type.Union([Type.Integer(), Type.Null()]),
    'How far a rolling limit looks back, in seconds: ten seconds to ninety days; null of the others.',
  ),
  filters: described(
    Type.Union([Filters, Type.Null()]),
    'Which authorizations it counts; null: all.',
  ),
})
export type ControlLimit = Static<typeof ControlLimit>

export const ControlLimitInput = Type.Object(
  {
    interval: described(
      Type.Enum([...LIMIT_INTERVALS, 'rolling']),
      'The interval of the count: one authorization, a part of the calendar in time_zone, or the last rolling_seconds.',
    ),
    amount_cents: described(
      Type.Optional(Type.Union([Amount, Type.Null()])),
      '0 allows nothing; null is no limit of the amount.',
    ),
    count: described(
      Type.Optional(Type.Union([Type.Integer({ minimum: 0, maximum: COUNT_MAX }), Type.Null()])),
      'Approved authorizations; null is no limit of their number.',
    ),
    currency: Type.Optional(Currency),
    time_zone: Type.Optional(TimeZone),
    rolling_seconds: Type.Optional(
      Type.Union([
        Type.Integer({ minimum: ROLLING_SECONDS_MIN, maximum: ROLLING_SECONDS_MAX }),
        Type.Null(),
      ]),
    ),
    filters: Type.Optional(Type.Union([FiltersInput, Type.Null()])),
    id: described(
      Type.Optional(Type.String({ maxLength: 64 })),
      'The id of a limit, as shown. A write ignores it, because a limit keeps its count by interval, zone and filters.',
    ),
  },
  { additionalProperties: false },
)
export type ControlLimitInput = Static<typeof ControlLimitInput>

export const SchedulePeriod = Type.Object({
  days: described(
    Type.Array(Type.Enum([...WEEKDAYS])),
    'On which days of the week; every day where it is left out.',
  ),
  from: described(Type.String(), 'Local time 08:00; until may be 24:00.'),
  until: described(Type.String(), 'Local time up to which it is open, 18:00, at most 24:00.'),
  time_zone: Type.String(),
})
export type SchedulePeriod = Static<typeof SchedulePeriod>

const HOUR = '([01][0-9]|2[0-3]):[0-5][0-9]'
export const SchedulePeriodInput = Type.Object(
  {
    days: described(
      Type.Optional(Type.Array(Type.Enum([...WEEKDAYS]), { minItems: 1, uniqueItems: true })),
      'On which days of the week; every day where it is left out.',
    ),
    from: described(
      Type.Optional(Type.String({ pattern: '^' + HOUR + '$' })),
      'Local time 08:00; 00:00 where it is left out.',
    ),
    until: described(
      Type.Optional(Type.String({ pattern: '^(' + HOUR + '|24:00)$' })),
      'Local time up to which it is open, 18:00, at most 24:00.',
    ),
    time_zone: Type.Optional(TimeZone),
  },
  { additionalProperties: false },
)
export type SchedulePeriodInput = Static<typeof SchedulePeriodInput>
