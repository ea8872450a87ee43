// Spending controls and the policies of a program as the engine knows them: parts of config
// records, compiled by the API. Each is a table of checks, in the order of its stored row: a new
// field comes last.
import { isMinorUnits } from '../money.ts'
import {
  flag,
  keyText,
  listOf,
  oneOf,
  orNull,
  type RecordOf,
  shape,
  text,
  whole,
} from './fields.ts'

const STAND_IN_POLICY = {
  version: whole,
  action: oneOf('controls', 'decline'),
  max_per_authorization_cents: orNull(whole),
  max_per_card_per_day_cents: orNull(whole),
  /** Over all cards of the tenant in the running hour. */
  max_per_hour_cents: orNull(whole),
  /** `authorization_request.kind` values that stand-in always declines. */
  excluded_kinds: listOf(text),
}
export const standInPolicy = shape(STAND_IN_POLICY)
/**
 * The policy for a silent tenant. Amounts are minor units of the card's currency; null sets no cap.
 * Authorization 7.
 */
export type StandInPolicy = RecordOf<typeof STAND_IN_POLICY>

const FRAUD_RULE = {
  name: oneOf('card_testing', 'cvc_failures', 'pin_failures'),
  state: oneOf('draft', 'active', 'off'),
  count: whole,
  seconds: whole,
  /** For card_testing: authorizations up to this amount count; null for the others. */
  amount_cents: orNull(whole),
}
export const fraudRule = shape(FRAUD_RULE)
/** `count` events within `seconds` suspend the card. A draft only reports. */
export type FraudRule = RecordOf<typeof FRAUD_RULE>
export type FraudRuleName = FraudRule['name']

const HOLD_EXPIRY = {
  mccs: orNull(listOf(text)),
  card_present: orNull(flag),
  initiator: oneOf('cardholder', 'merchant', null),
  hours: whole,
}
export const holdExpiry = shape(HOLD_EXPIRY)
/** How long a hold stands. Null matches everything. */
export type HoldExpiry = RecordOf<typeof HOLD_EXPIRY>

const HOLD_ADJUSTMENT = {
  mccs: listOf(text),
  mode: oneOf('replace', 'add_percent', 'add_amount'),
  /** Minor units, or whole percent. */
  value: whole,
  max_cents: orNull(whole),
}
export const holdAdjustment = shape(HOLD_ADJUSTMENT)
/** Authorization 4: a buffer never causes a decline. */
export type HoldAdjustment = RecordOf<typeof HOLD_ADJUSTMENT>

const LIST_RULE = { mode: oneOf('allow', 'block'), values: listOf(text) }
/** One dimension of a control: exactly one of the two lists, never both. */
export type ListRule = RecordOf<typeof LIST_RULE>
const listRule = orNull(shape(LIST_RULE))

const LIMIT_FILTER = {
  mccs: orNull(listOf(text)),
  countries: orNull(listOf(text)),
  kinds: orNull(listOf(text)),
  card_present: orNull(flag),
}
/** Which authorizations a limit counts; null lets all pass. */
export type LimitFilter = RecordOf<typeof LIMIT_FILTER>

/** The intervals of a calendar, and the one sum a single authorization is. */
const INTERVALS = [
  ...(['per_authorization', 'daily', 'weekly'] as const),
  ...(['monthly', 'yearly', 'all_time'] as const),
]
export type LimitInterval = (typeof INTERVALS)[number]

export const LIMIT = {
  id: text,
  interval: oneOf(...INTERVALS, 'rolling'),
  /** Null: no limit of the amount; 0 allows nothing. */
  amount_cents: orNull(isMinorUnits),
  /** Null: no limit of the number of authorizations. */
  count: orNull(whole),
  currency: text,
  time_zone: text,
  /** For a rolling limit: 10 to 7,776,000 seconds. Null otherwise. */
  rolling_seconds: orNull(whole),
  filter: orNull(shape(LIMIT_FILTER)),
}
export type LimitConfig = RecordOf<typeof LIMIT>

const SCHEDULE = { days: listOf(whole), from_minute: whole, until_minute: whole, time_zone: text }
/**
 * Local days and minutes of the day in which a card may be used; `until` 1440 is midnight. Days: 1
 * is Monday.
 */
export type ScheduleConfig = RecordOf<typeof SCHEDULE>

const CONTROL_TERMS = {
  mccs: listRule,
  merchants: listRule,
  countries: listRule,
  currencies: listRule,
  entry_methods: listRule,
  /** Values `present` and `not_present`. */
  card_presence: listRule,
  /** Values of `authorization_request.kind`. */
  kinds: listRule,
  wallets: listRule,
  /** Open in any of them; empty is open always. */
  schedule: listOf(shape(SCHEDULE)),
  limits: listOf(shape(LIMIT)),
  /** Online payments need a 3DS authentication. */
  authentication: oneOf('required', null),
  /** Chip cards whose stripe was read are declined. */
  fallback: oneOf('blocked', null),
  /** One approved authorization: of exactly, or at most, an amount; null sets no amount. */
  single_use: orNull(shape({ mode: oneOf('exact', 'max'), amount_cents: orNull(whole) })),
  /** Only the merchant of the first approved authorization. */
  merchant_lock: flag,
  /** Approved authorizations after which nothing more is. */
  cancel_after: orNull(whole),
}

/** Terms that let everything pass: those of a control that an earlier release compiled. */
export const OPEN_CONTROL: RecordOf<typeof CONTROL_TERMS> = {
  mccs: null,
  merchants: null,
  countries: null,
  currencies: null,
  entry_methods: null,
  card_presence: null,
  kinds: null,
  wallets: null,
  schedule: [],
  limits: [],
  authentication: null,
  fallback: null,
  single_use: null,
  merchant_lock: false,
  cancel_after: null,
}

export const CONTROL = {
  id: text,
  version: whole,
  /** A draft is judged in shadow, with windows of its own. */
  state: oneOf('active', 'draft'),
  ...CONTROL_TERMS,
}
/** One version of one spending control, compiled: categories are MCCs, ranges are `from-to`. */
export type ControlConfig = RecordOf<typeof CONTROL>
/** A field of a control that is one list. */
export type ListDimension = {
  [Field in keyof ControlConfig]: ListRule extends ControlConfig[Field] ? Field : never
}[keyof ControlConfig]

/** A control that lets everything pass. */
export function openControl(id: string): ControlConfig {
  return { id, version: 1, state: 'active', ...OPEN_CONTROL }
}

/** True for a control that counts the authorizations approved under it. */
export function countsUses({
  single_use,
  cancel_after,
  merchant_lock,
}: Pick<ControlConfig, 'single_use' | 'cancel_after' | 'merchant_lock'>): boolean {
  return single_use !== null || cancel_after !== null || merchant_lock
}

/** Id of the control that `PUT /v1/cards/{id}/limits` writes: one per card. */
export function ownControlId(subjectId: string): string {
  return 'ctl_' + subjectId.slice(subjectId.indexOf('_') + 1)
}

export const CONTROLS = {
  id: keyText,
  version: whole,
  scope: oneOf('program', 'cardholder', 'card', 'payment_account'),
  controls: listOf(shape(CONTROL)),
}
/** The controls that bind one program, cardholder or card; `id` is the subject's id. */
export type ControlsConfig = { type: 'controls' } & RecordOf<typeof CONTROLS>
export type ControlScope = ControlsConfig['scope']
