// A spending control as the outside writes and sees it: the permitted use of one program,
// cardholder, card or payment account. Authorization 4.
import type { Static } from 'typebox'
import { Type } from '../schema-builders.ts'
import type { ListDimension } from '../wire/control-records.ts'
import {
  Amount,
  Category,
  COUNT_MAX,
  ControlLimit,
  ControlLimitInput,
  Country,
  Currency,
  Kind,
  listOf,
  Mcc,
  Presence,
  SchedulePeriod,
  SchedulePeriodInput,
} from './control-limit.ts'
import { described } from './described.ts'
import { ENTRY_METHODS } from './network-message.ts'
import { TENANT_FIELDS } from './tenant-fields.ts'

export const CONTROL_SCOPES = ['program', 'cardholder', 'card', 'payment_account'] as const
export const CONTROL_STATES = ['draft', 'active', 'retired'] as const

/** Chosen: periods of a schedule and limits of one control. */
const SCHEDULE_PERIODS_MAX = 14
const CONTROL_LIMITS_MAX = 24

const ONE_LINE = '^[^\\u0000-\\u001f\\u007f]*$'
const MerchantId = Type.String({ minLength: 1, maxLength: 64, pattern: ONE_LINE })
const Wallet = Type.String({ minLength: 1, maxLength: 32, pattern: ONE_LINE })
const EntryMethod = Type.Enum([...ENTRY_METHODS])

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

/** The lists of each dimension of the engine's record, without allowed_ and blocked_. */
export const DIMENSIONS: { readonly [Dimension in ListDimension]: readonly ListName[] } = {
  mccs: ['mccs', 'categories'],
  merchants: ['merchant_ids'],
  countries: ['countries'],
  currencies: ['currencies'],
  entry_methods: ['entry_methods'],
  card_presence: ['card_presence'],
  kinds: ['kinds'],
  wallets: ['wallets'],
}
export type ListName = ListField extends `${'allowed' | 'blocked'}_${infer Name}` ? Name : never

/** Terms that the engine reads as they are. */
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

/** Names of the terms that the engine reads as they are. */
export const SINGLE_TERMS = Object.keys(SINGLES) as readonly (keyof typeof SINGLES)[]

/** Terms without any restriction. */
export const OPEN_TERMS: ControlTerms = {
  ...nullEach(LISTS),
  ...nullEach(SINGLES),
  merchant_lock: false,
  schedule: [],
  limits: [],
}

function nullEach<Fields extends object>(fields: Fields): { [Field in keyof Fields]: null } {
  const nulls = Object.keys(fields).map((field) => [field, null])
  return Object.fromEntries(nulls) as { [Field in keyof Fields]: null }
}

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
