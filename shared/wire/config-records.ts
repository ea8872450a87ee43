// Configuration as the engine knows it. Filled by api from Postgres, pushed over the control
// socket, kept in LMDB. Every record carries the version of its row; an older version never
// replaces a newer one.
import type {
  ControlsConfig,
  FraudRule,
  HoldAdjustment,
  HoldExpiry,
  StandInPolicy,
} from './control-records.ts'

export * from './control-records.ts'

export type Environment = 'sandbox' | 'live'
export type ProgramStatus = 'pending' | 'active' | 'suspended'
export type CardholderStatus = 'active' | 'inactive'
export type CardStatus = 'issued' | 'active' | 'suspended' | 'terminated'
export type CardType = 'virtual' | 'physical'
/** Cards, and accounts on a chain from which payments are made. */
export type InstrumentType = CardType | 'account'
export type BillingMismatchAction = 'decline' | 'take_larger'

/**
 * The limits of credits without a capture behind them, in minor units of the card's currency; null
 * sets no limit.
 */
export interface CreditLimit {
  readonly per_authorization_cents: number | null
  readonly per_card_per_day_cents: number | null
}

/**
 * The settings of a program that set none of its own. Chosen: five percent exceeds the difference
 * between two rates of one day; counting the larger amount keeps every limit and declines nobody
 * because our own rate is old; 2,500.00 per credit and 5,000.00 a day in a currency with two
 * decimals.
 */
export const PROGRAM_DEFAULTS = {
  billing_tolerance_bps: 500,
  billing_mismatch_action: 'take_larger',
  credit_limit: { per_authorization_cents: 250_000, per_card_per_day_cents: 500_000 },
} as const satisfies Partial<ProgramConfig>

export interface ProgramConfig {
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
  /**
   * The action of stand-in when the tenant is silent. Chosen: `controls` unless the tenant says
   * `decline`.
   */
  stand_in: 'controls' | 'decline'
  /** IANA zone in which the six intervals are counted beside UTC. */
  time_zone: string
  /** The version the tenant's envelopes are pinned to. */
  api_version: string
  /**
   * Real-time authorization is an entitlement: without it the tenant is not asked, whatever
   * `realtime` says.
   */
  realtime_entitled: boolean
  /**
   * The tenant's status of billing closes new authorizations; captures, refunds, reversals and
   * advices go on.
   */
  authorizations_closed: boolean
  /** Caps and exclusions of stand-in; null where the tenant set none. */
  stand_in_policy: StandInPolicy | null
  fraud_rules: readonly FraudRule[]
  /** Overrides of the hold table, first match wins. */
  hold_expiry: readonly HoldExpiry[]
  /** The amounts by which a hold is raised; the first match wins. */
  hold_adjustments: readonly HoldAdjustment[]
  /** The margin on our own rates, in hundredths of a percent. */
  fx_margin_bps: number
  /**
   * Largest difference between the network's billing amount and the amount by our rate, in
   * hundredths of a percent.
   */
  billing_tolerance_bps: number
  /** The action for an authorization whose billing amount differs by more than the tolerance. */
  billing_mismatch_action: BillingMismatchAction
  credit_limit: CreditLimit
  /**
   * How far the tenant's sandbox clock is ahead of ours, in milliseconds; never less than before. 0
   * in live.
   */
  clock_offset_ms: number
  /** The shard that decides for the program; null: the first one. */
  shard: string | null
}

export interface CardholderConfig {
  type: 'cardholder'
  id: string
  version: number
  program_id: string
  status: CardholderStatus
  frozen: boolean
}

/**
 * A card, or a payment account: its id is its token and fingerprint, and it has neither number nor
 * expiry, CVC or PIN.
 */
export interface CardConfig {
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
  card_type: InstrumentType
  status: CardStatus
  exp_month: number
  exp_year: number
  /** Derivation.cvcVerifier of the card's CVC. */
  cvc_verifier: string
  currency: string
  /** Derivation.pinVerifier of the card's PIN, or null where it has none. */
  pin_verifier: string | null
  /**
   * The card whose spend windows this one continues: its own id, or the first of its replacement
   * chain.
   */
  windows_id: string
  suspended_by: string | null
  /** For a terminated card: the loss that the answer to the network names; null for none. */
  loss: 'lost' | 'stolen' | null
  /**
   * The cents that a payment account may spend over its whole life; null for a card, whose money
   * is its tenant's.
   */
  funded_cents: number | null
}

/** A rate of our own. */
export interface FxRateConfig {
  type: 'fx_rate'
  /** `EUR/USD`: units of the second for one unit of the first. */
  id: string
  version: number
  /** A decimal number. */
  rate: string
  rate_at_ms: number
}

/** The result of a cardholder's authentication by the issuer's access control server. */
export interface AuthenticationConfig {
  type: 'authentication'
  /** `authenticationId` of the card and the 3DS transaction. */
  id: string
  version: number
  card_id: string
  result: 'authenticated' | 'attempted' | 'failed'
  expires_at_ms: number
}

/**
 * Returns the id of a 3DS transaction of one card. The network's id comes from outside, so the card
 * is part of ours: no card can take the id of another's.
 */
export function authenticationId(cardId: string, threeDsId: string): string {
  return cardId + ':' + threeDsId
}

/** A card in a wallet. */
export interface WalletTokenConfig {
  type: 'wallet_token'
  id: string
  version: number
  card_id: string
  provider: string
  status: 'active' | 'suspended' | 'deactivated'
}

export interface EndpointConfig {
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

/** A secret with which a card network signs its messages; `network` names the network. */
export interface NetworkKeyConfig {
  type: 'network_key'
  id: string
  version: number
  network: string
  environment: Environment
  sealed_secret: string
}

/** The sealed derivation root (SEAL_CONTEXTS.root); id is always `root`. */
export interface RootConfig {
  type: 'root'
  id: 'root'
  version: number
  sealed: string
}

export type ConfigRecord =
  | ProgramConfig
  | CardholderConfig
  | CardConfig
  | ControlsConfig
  | EndpointConfig
  | NetworkKeyConfig
  | RootConfig
  | FxRateConfig
  | AuthenticationConfig
  | WalletTokenConfig
export type ConfigType = ConfigRecord['type']
/** Config records whose every version is kept, because decisions name them. */
export type KeptConfig =
  | ProgramConfig
  | CardholderConfig
  | CardConfig
  | ControlsConfig
  | FxRateConfig
export const CONFIG_TYPES = [
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
] as const satisfies readonly ConfigType[]

/** A row that is gone; leaves a tombstone so that an older version cannot bring it back. */
export interface ConfigRemoval {
  type: ConfigType
  id: string
  version: number
  removed: true
}

export type ConfigChange = ConfigRecord | ConfigRemoval
