// A spending control as the outside writes and sees it: the permitted use of one program,
// cardholder, card or payment account. Authorization 4.
import type { Static, TSchema } from 'typebox'
import { CONTROL_KINDS } from '../authorization-kind.ts'
import { Type } from '../schema-builders.ts'
import { LIMIT_INTERVALS } from './card.ts'
import { described } from './described.ts'
import { ENTRY_METHODS } from './network-message.ts'
import { TENANT_FIELDS } from './tenant-fields.ts'

export const CONTROL_SCOPES = ['program', 'cardholder', 'card', 'payment_account'] as const
export const CONTROL_STATES = ['draft', 'active', 'retired'] as const

const PRESENCE = ['present', 'not_present'] as const
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

/** Chosen: values of one list, periods of a schedule and limits of one control. */
const LIST_VALUES_MAX = 250
const SCHEDULE_PERIODS_MAX = 14
const CONTROL_LIMITS_MAX = 24
const COUNT_MAX = 1_000_000_000
/** Authorization 4: ten seconds to ninety days. */
const ROLLING_SECONDS_MIN = 10
const ROLLING_SECONDS_MAX = 7_776_000

const Amount = Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER })
const ONE_LINE = '^[^\\u0000-\\u001f\\u007f]*$'

const Mcc = Type.String({ pattern: '^[0-9]{4}(-[0-9]{4})?$' })
const Category = Type.String({ pattern: '^[a-z0-9_]{1,80}$' })
const MerchantId = Type.String({ minLength: 1, maxLength: 64, pattern: ONE_LINE })
const Country = Type.String({ pattern: '^[A-Z]{2}$' })
const Currency = Type.String({ pattern: '^[A-Z]{3}$' })
const Wallet = Type.String({ minLength: 1, maxLength: 32, pattern: ONE_LINE })
const EntryMethod = Type.Enum([...ENTRY_METHODS])
const Presence = Type.Enum([...PRESENCE])
const Kind = Type.Enum([...CONTROL_KINDS])
const TimeZone = Type.String({ minLength: 1, maxLength: 64 })

/** Null sets no restriction. An empty allow list allows nothing. */
function listOf<Item extends TSchema>(item: Item) {
  return Type.Union([
    Type.Array(item, { maxItems: LIST_VALUES_MAX, uniqueItems: true }),
    Type.Null(),
  ])
}

/**
 * One list for each dimension, either allowed or blocked, never both. Codes and names of categories
 * are one dimension.
 */
const LISTS = {
  allowed_mccs: described(listOf(Mcc), 'Codes, and ranges 3000-3299.'),
  blocked_mccs: described(
    listOf(Mcc),
    'Codes, and ranges 3000-3299; instead of allowed_mccs, as with every pair here.',
  ),
  allowed_categories: described(
    listOf(Category),
    'Names of categories; with allowed_mccs they are one list.',
  ),
  blocked_categories: described(
    listOf(Category),
    'Names of categories that are declined; with blocked_mccs they are one list.',
  ),
  allowed_merchant_ids: described(
    listOf(MerchantId),
    'Only these merchants, by the network’s id; null: all.',
  ),
  blocked_merchant_ids: described(listOf(MerchantId), 'Not these merchants, by the network’s id.'),
  allowed_countries: described(
    listOf(Country),
    'Only merchants in these countries, ISO 3166-1 alpha-2; null: all.',
  ),
  blocked_countries: described(
    listOf(Country),
    'No merchants in these countries, ISO 3166-1 alpha-2.',
  ),
  allowed_currencies: described(
    listOf(Currency),
    'Only these currencies of the merchant, ISO 4217; null: all.',
  ),
  blocked_currencies: described(
    listOf(Currency),
    'Not these currencies of the merchant, ISO 4217.',
  ),
  allowed_entry_methods: described(
    listOf(EntryMethod),
    'Only with the card’s number got like this; null: any way.',
  ),
  blocked_entry_methods: described(
    listOf(EntryMethod),
    'Not with the card’s number got like this.',
  ),
  allowed_card_presence: described(
    listOf(Presence),
    'Only with the card present, or only without; null: both.',
  ),
  blocked_card_presence: described(listOf(Presence), 'Not with the card present, or not without.'),
  allowed_kinds: described(listOf(Kind), 'Only these kinds of authorization requests; null: all.'),
  blocked_kinds: described(listOf(Kind), 'Not these kinds of authorization requests.'),
  allowed_wallets: described(
    listOf(Wallet),
    'Only from these wallets, by provider; null: with or without any.',
  ),
  blocked_wallets: described(listOf(Wallet), 'Not from these wallets, by provider.'),
}
export type ListField = keyof typeof LISTS

const SINGLES = {
  authentication: described(
    Type.Union([Type.Literal('required'), Type.Null()]),
    'Online payments need a 3DS authentication.',
  ),
  fallback: described(
    Type.Union([Type.Literal('blocked'), Type.Null()]),
    'Chip cards whose stripe was read are declined.',
  ),
  single_use: described(
    Type.Union([
      Type.Object(
        {
          mode: described(
            Type.Enum(['exact', 'max']),
            'exact: the one authorization must be of amount_cents. max: it may be of less.',
          ),
          amount_cents: Type.Union([Amount, Type.Null()]),
        },
        { additionalProperties: false },
      ),
      Type.Null(),
    ]),
    'One approved authorization, of exactly or at most an amount.',
  ),
  merchant_lock: described(
    Type.Boolean(),
    'Only the merchant of the first approved authorization.',
  ),
  cancel_after: described(
    Type.Union([Type.Integer({ minimum: 1, maximum: COUNT_MAX }), Type.Null()]),
    'Approved authorizations after which nothing more is.',
  ),
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

const ControlLimit = Type.Object({
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

const ControlLimitInput = Type.Object(
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

const SchedulePeriod = Type.Object({
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
const SchedulePeriodInput = Type.Object(
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

const TERMS = {
  ...LISTS,
  ...SINGLES,
  schedule: described(
    Type.Array(SchedulePeriod),
    'Open in any of the periods; none is open always.',
  ),
  limits: described(Type.Array(ControlLimit), 'How much, and how often.'),
}
const ControlTerms = Type.Object(TERMS)
/** Every field of a control that decides. */
export const CONTROL_TERMS = ControlTerms
/** The terms of a control, without the subject it binds. */
export type ControlTerms = Static<typeof ControlTerms>

const ControlTermsInput = Type.Partial(
  Type.Object({
    ...LISTS,
    ...SINGLES,
    schedule: described(
      Type.Array(SchedulePeriodInput, { maxItems: SCHEDULE_PERIODS_MAX }),
      'Open in any of the periods; none is open always.',
    ),
    limits: described(
      Type.Array(ControlLimitInput, { maxItems: CONTROL_LIMITS_MAX }),
      'How much, and how often.',
    ),
  }),
)
/** Every field of a control that a caller may send; a field that is left out stays as it is. */
export const CONTROL_TERMS_INPUT = ControlTermsInput.properties
export type ControlTermsInput = Static<typeof ControlTermsInput>

export const SpendingControl = Type.Object({
  id: Type.String(),
  object: Type.Literal('spending_control'),
  created: Type.Integer(),
  livemode: Type.Boolean(),
  scope: described(
    Type.Enum([...CONTROL_SCOPES]),
    'The level of the subject it binds: a program, a cardholder, a card or a payment account.',
  ),
  subject_id: described(
    Type.String(),
    'The program, cardholder, card or payment account that it binds.',
  ),
  state: described(
    Type.Enum([...CONTROL_STATES]),
    'A draft only reports; an active control binds; a retired one does neither.',
  ),
  version: described(Type.Integer(), 'Counts its versions from 1.'),
  updated: described(
    Type.Integer(),
    'When the version was written, and by which key; null where no caller wrote it.',
  ),
  updated_by: described(
    Type.Union([Type.String(), Type.Null()]),
    'The key that wrote this version; null where no caller did.',
  ),
  /** Not part of a version, because it has no effect on decisions. */
  ...TENANT_FIELDS,
  ...TERMS,
})
export type SpendingControl = Static<typeof SpendingControl>
