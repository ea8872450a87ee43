// Spending controls and the policies of a program as the engine knows them: parts of config
// records, compiled by the API.
import type { MinorUnits } from '../money.ts'

/** The intervals of a calendar, and the one sum a single authorization is. */
export type LimitInterval =
  | 'per_authorization'
  | 'daily'
  | 'weekly'
  | 'monthly'
  | 'yearly'
  | 'all_time'
export type ControlScope = 'program' | 'cardholder' | 'card' | 'payment_account'

/**
 * The policy for a silent tenant. Amounts are minor units of the card's currency; null sets no cap.
 * Authorization 7.
 */
export interface StandInPolicy {
  version: number
  action: 'controls' | 'decline'
  max_per_authorization_cents: number | null
  max_per_card_per_day_cents: number | null
  /** Over all cards of the tenant in the running hour. */
  max_per_hour_cents: number | null
  /** `authorization_request.kind` values that stand-in always declines. */
  excluded_kinds: readonly string[]
}

export type FraudRuleName = 'card_testing' | 'cvc_failures' | 'pin_failures'

/** `count` events within `seconds` suspend the card. A draft only reports. */
export interface FraudRule {
  name: FraudRuleName
  state: 'draft' | 'active' | 'off'
  count: number
  seconds: number
  /** For card_testing: authorizations up to this amount count; null for the others. */
  amount_cents: number | null
}

/** How long a hold stands. Null matches everything. */
export interface HoldExpiry {
  mccs: readonly string[] | null
  card_present: boolean | null
  initiator: 'cardholder' | 'merchant' | null
  hours: number
}

/** Authorization 4: a buffer never causes a decline. */
export interface HoldAdjustment {
  mccs: readonly string[]
  mode: 'replace' | 'add_percent' | 'add_amount'
  /** Minor units, or whole percent. */
  value: number
  max_cents: number | null
}

/** One dimension of a control: exactly one of the two lists, never both. */
export interface ListRule {
  mode: 'allow' | 'block'
  values: readonly string[]
}

/** Which authorizations a limit counts; null lets all pass. */
export interface LimitFilter {
  mccs: readonly string[] | null
  countries: readonly string[] | null
  kinds: readonly string[] | null
  card_present: boolean | null
}

export interface LimitConfig {
  id: string
  interval: LimitInterval | 'rolling'
  /** Null: no limit of the amount; 0 allows nothing. */
  amount_cents: MinorUnits | null
  /** Null: no limit of the number of authorizations. */
  count: number | null
  currency: string
  time_zone: string
  /** For a rolling limit: 10 to 7,776,000 seconds. Null otherwise. */
  rolling_seconds: number | null
  filter: LimitFilter | null
}

/**
 * Local days and minutes of the day in which a card may be used; `until` 1440 is midnight. Days: 1
 * is Monday.
 */
export interface ScheduleConfig {
  days: readonly number[]
  from_minute: number
  until_minute: number
  time_zone: string
}

/** One version of one spending control, compiled: categories are MCCs, ranges are `from-to`. */
export interface ControlConfig {
  id: string
  version: number
  /** A draft is judged in shadow, with windows of its own. */
  state: 'active' | 'draft'
  mccs: ListRule | null
  merchants: ListRule | null
  countries: ListRule | null
  currencies: ListRule | null
  entry_methods: ListRule | null
  /** Values `present` and `not_present`. */
  card_presence: ListRule | null
  /** Values of `authorization_request.kind`. */
  kinds: ListRule | null
  wallets: ListRule | null
  /** Open in any of them; empty is open always. */
  schedule: readonly ScheduleConfig[]
  limits: readonly LimitConfig[]
  /** Online payments need a 3DS authentication. */
  authentication: 'required' | null
  /** Chip cards whose stripe was read are declined. */
  fallback: 'blocked' | null
  /** One approved authorization: of exactly, or at most, an amount; null sets no amount. */
  single_use: { mode: 'exact' | 'max'; amount_cents: number | null } | null
  /** Only the merchant of the first approved authorization. */
  merchant_lock: boolean
  /** Approved authorizations after which nothing more is. */
  cancel_after: number | null
}

/** A control that lets everything pass. */
export function openControl(id: string): ControlConfig {
  return {
    id,
    version: 1,
    state: 'active',
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
}

/** Id of the control that `PUT /v1/cards/{id}/limits` writes: one per card. */
export function ownControlId(subjectId: string): string {
  return 'ctl_' + subjectId.slice(subjectId.indexOf('_') + 1)
}

/** The controls that bind one program, cardholder or card; `id` is the subject's id. */
export interface ControlsConfig {
  type: 'controls'
  id: string
  version: number
  scope: ControlScope
  controls: readonly ControlConfig[]
}
