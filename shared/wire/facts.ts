// Configuration as the engine knows it. Filled by api from Postgres, pushed over the control socket, kept in LMDB.
// Every record carries the version of its row; an older version never replaces a newer one.
import type { MinorUnits } from '../money.ts'

export type Environment = 'sandbox' | 'live'
export type ProgramStatus = 'pending' | 'active' | 'suspended'
export type CardholderStatus = 'active' | 'inactive'
export type CardStatus = 'issued' | 'active' | 'suspended' | 'terminated'
export type CardType = 'virtual' | 'physical'
/** The intervals of a calendar, and the one sum a single authorization is. */
export type LimitInterval =
  | 'per_authorization'
  | 'daily'
  | 'weekly'
  | 'monthly'
  | 'yearly'
  | 'all_time'
export type ControlScope = 'program' | 'cardholder' | 'card'

export interface ProgramFact {
  type: 'program'
  id: string
  version: number
  tenant_id: string
  environment: Environment
  status: ProgramStatus
  /** True when the tenant is asked before an approval (opt-in). */
  realtime: boolean
  /** The endpoint that is asked, or null. */
  endpoint_id: string | null
  /** What stand-in does when the tenant is silent. Chosen: `controls` unless the tenant says `decline`. */
  stand_in: 'controls' | 'decline'
  /** IANA zone in which the six intervals are counted beside UTC. */
  time_zone: string
  /** The version the tenant's envelopes are pinned to. */
  api_version: string
  /** Real-time authorization is an entitlement: without it nobody is asked, whatever `realtime` says. */
  realtime_entitled: boolean
  /** Caps and exclusions of stand-in; null where the tenant set none. */
  stand_in_policy: StandInPolicy | null
  fraud_rules: readonly FraudRule[]
  /** Overrides of the hold table, first match wins. */
  hold_expiry: readonly HoldExpiry[]
  /** What a hold is raised by, first match wins. */
  hold_adjustments: readonly HoldAdjustment[]
  /** What rates of our own cost on top, in hundredths of a percent. */
  fx_margin_bps: number
}

/** When nobody answers. Amounts are minor units of the card's currency; null sets no cap. AUTHORIZATION.md 7. */
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

/** `count` events within `seconds` suspend the card. A draft only tells. */
export interface FraudRule {
  name: FraudRuleName
  state: 'draft' | 'active' | 'off'
  count: number
  seconds: number
  /** Of card_testing: authorizations up to this amount count; null for the others. */
  amount_cents: number | null
}

/** How long a hold stands. Null matches everything. */
export interface HoldExpiry {
  mccs: readonly string[] | null
  card_present: boolean | null
  initiator: 'cardholder' | 'merchant' | null
  hours: number
}

/** AUTHORIZATION.md 4: a buffer never causes a decline. */
export interface HoldAdjustment {
  mccs: readonly string[]
  mode: 'replace' | 'add_percent' | 'add_amount'
  /** Minor units, or whole percent. */
  value: number
  max_cents: number | null
}

export interface CardholderFact {
  type: 'cardholder'
  id: string
  version: number
  program_id: string
  status: CardholderStatus
  frozen: boolean
}

export interface CardFact {
  type: 'card'
  id: string
  version: number
  tenant_id: string
  environment: Environment
  program_id: string
  cardholder_id: string
  token: string
  /** Keyed hash of the PAN (Derivation.fingerprint). */
  fingerprint: string
  last4: string
  card_type: CardType
  status: CardStatus
  exp_month: number
  exp_year: number
  /** Derivation.cvcVerifier of the card's CVC. */
  cvc_verifier: string
  currency: string
  /** Derivation.pinVerifier of the card's PIN, or null where it has none. */
  pin_verifier: string | null
  /** The card whose spend windows this one goes on with: its own id, or the first of its replacement chain. */
  windows_id: string
  suspended_by: string | null
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

export interface LimitFact {
  id: string
  interval: LimitInterval | 'rolling'
  /** Null: no limit of the amount; 0 allows nothing. */
  amount_cents: MinorUnits | null
  /** Null: no limit of the number of authorizations. */
  count: number | null
  currency: string
  time_zone: string
  /** Of a rolling limit: 10 to 7,776,000. Null otherwise. */
  rolling_seconds: number | null
  filter: LimitFilter | null
}

/** Local days and minutes of the day in which a card may be used; `until` 1440 is midnight. Days: 1 is Monday. */
export interface ScheduleFact {
  days: readonly number[]
  from_minute: number
  until_minute: number
  time_zone: string
}

/** One version of one spending control, compiled: categories are MCCs, ranges are `from-to`. */
export interface ControlFact {
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
  schedule: readonly ScheduleFact[]
  limits: readonly LimitFact[]
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
export function openControl(id: string): ControlFact {
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

/** What binds one program, cardholder or card; `id` is the subject's id. */
export interface ControlsFact {
  type: 'controls'
  id: string
  version: number
  scope: ControlScope
  controls: readonly ControlFact[]
}

/** A rate of our own. */
export interface FxRateFact {
  type: 'fx_rate'
  /** `EUR/USD`: units of the second for one unit of the first. */
  id: string
  version: number
  /** A decimal number. */
  rate: string
  rate_at_ms: number
}

/** What the issuer's access control server found out about a cardholder. */
export interface AuthenticationFact {
  type: 'authentication'
  /** The 3DS transaction's id. */
  id: string
  version: number
  card_id: string
  result: 'authenticated' | 'attempted' | 'failed'
  expires_at_ms: number
}

/** A card in a wallet. */
export interface WalletTokenFact {
  type: 'wallet_token'
  id: string
  version: number
  card_id: string
  provider: string
  status: 'active' | 'suspended' | 'deactivated'
}

export interface EndpointFact {
  type: 'endpoint'
  id: string
  version: number
  tenant_id: string
  environment: Environment
  url: string
  status: 'enabled' | 'disabled'
  /** Sealed with SEAL_CONTEXTS.webhookSecret, oldest first; at most two. */
  sealed_secrets: readonly string[]
}

/** A secret with which a card network signs its messages; `network` names whose they are. */
export interface NetworkKeyFact {
  type: 'network_key'
  id: string
  version: number
  network: string
  environment: Environment
  sealed_secret: string
}

/** The sealed derivation root (SEAL_CONTEXTS.root); id is always `root`. */
export interface RootFact {
  type: 'root'
  id: 'root'
  version: number
  sealed: string
}

export type Fact =
  | ProgramFact
  | CardholderFact
  | CardFact
  | ControlsFact
  | EndpointFact
  | NetworkKeyFact
  | RootFact
  | FxRateFact
  | AuthenticationFact
  | WalletTokenFact
export type FactType = Fact['type']
/** Facts whose every version is kept: those a decision names. */
export type KeptFact = ProgramFact | CardholderFact | CardFact | ControlsFact | FxRateFact
export const FACT_TYPES = [
  'root',
  'network_key',
  'program',
  'cardholder',
  'card',
  'controls',
  'endpoint',
  'fx_rate',
  'authentication',
  'wallet_token',
] as const satisfies readonly FactType[]

/** A row that is gone; leaves a tombstone so that an older version cannot bring it back. */
export interface FactRemoval {
  type: FactType
  id: string
  version: number
  removed: true
}

export type FactChange = Fact | FactRemoval
