// A spending control as the outside writes and sees it: the permitted use of one program,
// cardholder, card or payment account. Authorization 4.
import { type Static, Type } from 'typebox'
import { CONTROL_KINDS } from '../authorization-kind.ts'
import { LIMIT_INTERVALS } from './card.ts'
import { DECLINE_REASON } from './explained.ts'
import { ENTRY_METHODS } from './network-message.ts'
import { OWN_DATA } from './own-data.ts'

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
function listOf<Item extends Type.TSchema>(item: Item) {
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
  /** Codes, and ranges `3000-3299`. */
  allowed_mccs: listOf(Mcc),
  /** Codes, and ranges `3000-3299`; instead of allowed_mccs, as with every pair here. */
  blocked_mccs: listOf(Mcc),
  /** Names of categories; with allowed_mccs they are one list. */
  allowed_categories: listOf(Category),
  /** Names of categories that are declined; with blocked_mccs they are one list. */
  blocked_categories: listOf(Category),
  /** Only these merchants, by the network’s id; null: all. */
  allowed_merchant_ids: listOf(MerchantId),
  /** Not these merchants, by the network’s id. */
  blocked_merchant_ids: listOf(MerchantId),
  /** Only merchants in these countries, ISO 3166-1 alpha-2; null: all. */
  allowed_countries: listOf(Country),
  /** No merchants in these countries, ISO 3166-1 alpha-2. */
  blocked_countries: listOf(Country),
  /** Only these currencies of the merchant, ISO 4217; null: all. */
  allowed_currencies: listOf(Currency),
  /** Not these currencies of the merchant, ISO 4217. */
  blocked_currencies: listOf(Currency),
  /** Only with the card’s number got like this; null: any way. */
  allowed_entry_methods: listOf(EntryMethod),
  /** Not with the card’s number got like this. */
  blocked_entry_methods: listOf(EntryMethod),
  /** Only with the card present, or only without; null: both. */
  allowed_card_presence: listOf(Presence),
  /** Not with the card present, or not without. */
  blocked_card_presence: listOf(Presence),
  /** Only these kinds of authorization requests; null: all. */
  allowed_kinds: listOf(Kind),
  /** Not these kinds of authorization requests. */
  blocked_kinds: listOf(Kind),
  /** Only from these wallets, by provider; null: with or without any. */
  allowed_wallets: listOf(Wallet),
  /** Not from these wallets, by provider. */
  blocked_wallets: listOf(Wallet),
}
export type ListField = keyof typeof LISTS

const SINGLES = {
  /** Online payments need a 3DS authentication. */
  authentication: Type.Union([Type.Literal('required'), Type.Null()]),
  /** Chip cards whose stripe was read are declined. */
  fallback: Type.Union([Type.Literal('blocked'), Type.Null()]),
  /** One approved authorization, of exactly or at most an amount. */
  single_use: Type.Union([
    Type.Object(
      {
        /** exact: the one authorization must be of amount_cents. max: it may be of less. */
        mode: Type.Enum(['exact', 'max']),
        amount_cents: Type.Union([Amount, Type.Null()]),
      },
      { additionalProperties: false },
    ),
    Type.Null(),
  ]),
  /** Only the merchant of the first approved authorization. */
  merchant_lock: Type.Boolean(),
  /** Approved authorizations after which nothing more is. */
  cancel_after: Type.Union([Type.Integer({ minimum: 1, maximum: COUNT_MAX }), Type.Null()]),
}

const FILTERS = {
  /** Only these category codes count, four digits or ranges; null: all. */
  mccs: listOf(Mcc),
  /** Only these named categories count; null: all. */
  categories: listOf(Category),
  /** Only merchants in these countries count, ISO 3166-1 alpha-2; null: all. */
  countries: listOf(Country),
  /** Only these kinds of authorization requests count; null: all. */
  kinds: listOf(Kind),
  /** Only with the card present, or only without; null: both. */
  card_presence: Type.Union([Presence, Type.Null()]),
}

/** Which authorizations a limit counts. */
const Filters = Type.Object(FILTERS)
export type Filters = Static<typeof Filters>
// Options stand beside the partial: those of the object inside are lost.
const FiltersInput = Type.Partial(Type.Object(FILTERS), { additionalProperties: false })
export type FiltersInput = Static<typeof FiltersInput>

const ControlLimit = Type.Object({
  id: Type.String(),
  /**
   * The interval of the count: one authorization, a part of the calendar in time_zone, or the last
   * rolling_seconds.
   */
  interval: Type.Enum([...LIMIT_INTERVALS, 'rolling']),
  amount_cents: Type.Union([Amount, Type.Null()]),
  count: Type.Union([Type.Integer(), Type.Null()]),
  currency: Type.String(),
  time_zone: Type.String(),
  /**
   * How far a rolling limit looks back, in seconds: ten seconds to ninety days; null of the others.
   */
  rolling_seconds: Type.Union([Type.Integer(), Type.Null()]),
  /** Which authorizations it counts; null: all. */
  filters: Type.Union([Filters, Type.Null()]),
})
export type ControlLimit = Static<typeof ControlLimit>

const ControlLimitInput = Type.Object(
  {
    interval: Type.Enum([...LIMIT_INTERVALS, 'rolling']),
    /** 0 allows nothing; null is no limit of the amount. */
    amount_cents: Type.Optional(Type.Union([Amount, Type.Null()])),
    /** Approved authorizations; null is no limit of their number. */
    count: Type.Optional(
      Type.Union([Type.Integer({ minimum: 0, maximum: COUNT_MAX }), Type.Null()]),
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
    /**
     * The id of a limit, as shown. A write ignores it, because a limit keeps its count by interval,
     * zone and filters.
     */
    id: Type.Optional(Type.String({ maxLength: 64 })),
  },
  { additionalProperties: false },
)
export type ControlLimitInput = Static<typeof ControlLimitInput>

const SchedulePeriod = Type.Object({
  /** On which days of the week; every day where it is left out. */
  days: Type.Array(Type.Enum([...WEEKDAYS])),
  /** Local time `08:00`; `until` may be `24:00`. */
  from: Type.String(),
  /** Local time up to which it is open, `18:00`, at most `24:00`. */
  until: Type.String(),
  time_zone: Type.String(),
})
export type SchedulePeriod = Static<typeof SchedulePeriod>

const HOUR = '([01][0-9]|2[0-3]):[0-5][0-9]'
const SchedulePeriodInput = Type.Object(
  {
    days: Type.Optional(Type.Array(Type.Enum([...WEEKDAYS]), { minItems: 1, uniqueItems: true })),
    from: Type.Optional(Type.String({ pattern: '^' + HOUR + '$' })),
    until: Type.Optional(Type.String({ pattern: '^(' + HOUR + '|24:00)$' })),
    time_zone: Type.Optional(TimeZone),
  },
  { additionalProperties: false },
)
export type SchedulePeriodInput = Static<typeof SchedulePeriodInput>

const TERMS = {
  ...LISTS,
  ...SINGLES,
  /** Open in any of the periods; none is open always. */
  schedule: Type.Array(SchedulePeriod),
  /** How much, and how often. */
  limits: Type.Array(ControlLimit),
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
    schedule: Type.Array(SchedulePeriodInput, { maxItems: SCHEDULE_PERIODS_MAX }),
    limits: Type.Array(ControlLimitInput, { maxItems: CONTROL_LIMITS_MAX }),
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
  /** The level of the subject it binds: a program, a cardholder, a card or a payment account. */
  scope: Type.Enum([...CONTROL_SCOPES]),
  /** The program, cardholder, card or payment account that it binds. */
  subject_id: Type.String(),
  /** A draft only reports; an active control binds; a retired one does neither. */
  state: Type.Enum([...CONTROL_STATES]),
  /** Counts its versions from 1. */
  version: Type.Integer(),
  /** When the version was written, and by which key; null where no caller wrote it. */
  updated: Type.Integer(),
  /** The key that wrote this version; null where no caller did. */
  updated_by: Type.Union([Type.String(), Type.Null()]),
  /** Not part of a version, because it has no effect on decisions. */
  ...OWN_DATA,
  ...TERMS,
})
export type SpendingControl = Static<typeof SpendingControl>

export const SpendingControlVersion = Type.Object({
  object: Type.Literal('spending_control_version'),
  /** The spending control. */
  spending_control_id: Type.String(),
  version: Type.Integer(),
  state: Type.Enum([...CONTROL_STATES]),
  created: Type.Integer(),
  /** The key that wrote it; null where no caller did. */
  created_by: Type.Union([Type.String(), Type.Null()]),
  ...TERMS,
})
export type SpendingControlVersion = Static<typeof SpendingControlVersion>

/** How often drafts of a control would have approved and declined. */
export const SpendingControlShadow = Type.Object({
  object: Type.Literal('spending_control_shadow'),
  spending_control_id: Type.String(),
  /** Authorizations that it would have let pass. */
  would_approve: Type.Integer(),
  /** Authorizations that it would have declined. */
  would_decline: Type.Integer(),
  /** The same by version. */
  versions: Type.Array(
    Type.Object({
      version: Type.Integer(),
      would_approve: Type.Integer(),
      would_decline: Type.Integer(),
      /** Why, and how often. */
      decline_reasons: Type.Array(
        Type.Object({ decline_reason: DECLINE_REASON, count: Type.Integer() }),
      ),
      /** Unix seconds of the first and the last authorization it judged. */
      first: Type.Integer(),
      /** Unix seconds of the last authorization it judged. */
      last: Type.Integer(),
    }),
  ),
})
export type SpendingControlShadow = Static<typeof SpendingControlShadow>
