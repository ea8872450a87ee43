// Configuration as the engine knows it. Filled by api from Postgres, pushed over the control
// socket, kept in LMDB. Every record carries the version of its row; an older version never
// replaces a newer one. Each record is a table of checks: a new field comes last, because the rows
// of earlier releases end before it, and has a value in EARLIER.
import {
  CONTROLS,
  type ControlsConfig,
  fraudRule,
  holdAdjustment,
  holdExpiry,
  standInPolicy,
} from './control-records.ts'
import {
  type Check,
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

export * from './control-records.ts'

const environment = oneOf('sandbox', 'live')

const CREDIT_LIMIT = {
  per_authorization_cents: orNull(whole),
  per_card_per_day_cents: orNull(whole),
}
/**
 * The limits of credits without a capture behind them, in minor units of the card's currency; null
 * sets no limit.
 */
export type CreditLimit = RecordOf<typeof CREDIT_LIMIT>

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

const PROGRAM = {
  id: keyText,
  version: whole,
  tenant_id: text,
  environment,
  status: oneOf('pending', 'active', 'suspended'),
  /** True when the tenant is asked before an approval (opt-in). */
  realtime: flag,
  /** The endpoint that is asked, or null. */
  endpoint_id: orNull(text),
  /**
   * The action of stand-in when the tenant is silent. Chosen: `controls` unless the tenant says
   * `decline`.
   */
  stand_in: oneOf('controls', 'decline'),
  /** IANA zone in which the six intervals are counted beside UTC. */
  time_zone: text,
  /** The version the tenant's envelopes are pinned to. */
  api_version: text,
  /**
   * Real-time authorization is an entitlement: without it the tenant is not asked, whatever
   * `realtime` says.
   */
  realtime_entitled: flag,
  /** Caps and exclusions of stand-in; null where the tenant set none. */
  stand_in_policy: orNull(standInPolicy),
  fraud_rules: listOf(fraudRule),
  /** Overrides of the hold table, first match wins. */
  hold_expiry: listOf(holdExpiry),
  /** The amounts by which a hold is raised; the first match wins. */
  hold_adjustments: listOf(holdAdjustment),
  /** The margin on our own rates, in hundredths of a percent. */
  fx_margin_bps: whole,
  /**
   * How far the tenant's sandbox clock is ahead of ours, in milliseconds; never less than before. 0
   * in live.
   */
  clock_offset_ms: whole,
  /**
   * Largest difference between the network's billing amount and the amount by our rate, in
   * hundredths of a percent.
   */
  billing_tolerance_bps: whole,
  /** The action for an authorization whose billing amount differs by more than the tolerance. */
  billing_mismatch_action: oneOf('decline', 'take_larger'),
  credit_limit: shape(CREDIT_LIMIT),
  /**
   * The tenant's status of billing closes new authorizations; captures, refunds, reversals and
   * advices go on.
   */
  authorizations_closed: flag,
  /** The shard that decides for the program; null: the first one. */
  shard: orNull(text),
}
export type ProgramConfig = { type: 'program' } & RecordOf<typeof PROGRAM>

const CARDHOLDER = {
  id: keyText,
  version: whole,
  program_id: text,
  status: oneOf('active', 'inactive'),
  frozen: flag,
}
export type CardholderConfig = { type: 'cardholder' } & RecordOf<typeof CARDHOLDER>

const CARD = {
  id: keyText,
  version: whole,
  tenant_id: text,
  environment,
  program_id: text,
  cardholder_id: text,
  token: keyText,
  /** Keyed hash of the PAN (Derivation.fingerprint). */
  fingerprint: keyText,
  last4: text,
  card_type: oneOf('virtual', 'physical', 'account'),
  status: oneOf('issued', 'active', 'suspended', 'terminated'),
  exp_month: whole,
  exp_year: whole,
  /** Derivation.cvcVerifier of the card's CVC. */
  cvc_verifier: text,
  currency: text,
  /** Derivation.pinVerifier of the card's PIN, or null where it has none. */
  pin_verifier: orNull(text),
  /**
   * The card whose spend windows this one continues: its own id, or the first of its replacement
   * chain.
   */
  windows_id: keyText,
  suspended_by: orNull(text),
  /** For a terminated card: the loss that the answer to the network names; null for none. */
  loss: oneOf('lost', 'stolen', null),
  /**
   * The cents that a payment account may spend over its whole life; null for a card, whose money
   * is its tenant's.
   */
  funded_cents: orNull(whole),
}
/**
 * A card, or a payment account: its id is its token and fingerprint, and it has neither number nor
 * expiry, CVC or PIN.
 */
export type CardConfig = { type: 'card' } & RecordOf<typeof CARD>

const FX_RATE = {
  /** `EUR/USD`: units of the second for one unit of the first. */
  id: keyText,
  version: whole,
  /** A decimal number. */
  rate: text,
  rate_at_ms: whole,
}
/** A rate of our own. */
export type FxRateConfig = { type: 'fx_rate' } & RecordOf<typeof FX_RATE>

const AUTHENTICATION = {
  /** `authenticationId` of the card and the 3DS transaction. */
  id: keyText,
  version: whole,
  card_id: text,
  result: oneOf('authenticated', 'attempted', 'failed'),
  expires_at_ms: whole,
}
/** The result of a cardholder's authentication by the issuer's access control server. */
export type AuthenticationConfig = { type: 'authentication' } & RecordOf<typeof AUTHENTICATION>

/**
 * Returns the id of a 3DS transaction of one card. The network's id comes from outside, so the card
 * is part of ours: no card can take the id of another's.
 */
export function authenticationId(cardId: string, threeDsId: string): string {
  return cardId + ':' + threeDsId
}

const WALLET_TOKEN = {
  id: keyText,
  version: whole,
  card_id: text,
  provider: text,
  status: oneOf('active', 'suspended', 'deactivated'),
}
/** A card in a wallet. */
export type WalletTokenConfig = { type: 'wallet_token' } & RecordOf<typeof WALLET_TOKEN>

const ENDPOINT = {
  id: keyText,
  version: whole,
  tenant_id: text,
  environment,
  url: text,
  status: oneOf('enabled', 'disabled'),
  /** Sealed with SEAL_CONTEXTS.webhookSecret, oldest first; at most two. */
  sealed_secrets: listOf(text),
}
export type EndpointConfig = { type: 'endpoint' } & RecordOf<typeof ENDPOINT>

const NETWORK_KEY = { id: keyText, version: whole, network: text, environment, sealed_secret: text }
/** A secret with which a card network signs its messages; `network` names the network. */
export type NetworkKeyConfig = { type: 'network_key' } & RecordOf<typeof NETWORK_KEY>

const ROOT = { id: oneOf('root'), version: whole, sealed: text }
/** The sealed derivation root (SEAL_CONTEXTS.root); id is always `root`. */
export type RootConfig = { type: 'root' } & RecordOf<typeof ROOT>

/** Fields that an earlier release did not write, with the values that they then have. */
export const EARLIER: { readonly [Type in ConfigType]?: object } = {
  program: { authorizations_closed: false, shard: null },
}

/** The fields of every record, in the order in which the engine stores them. */
export const CONFIG_FIELDS = {
  root: ROOT,
  network_key: NETWORK_KEY,
  program: PROGRAM,
  cardholder: CARDHOLDER,
  card: CARD,
  controls: CONTROLS,
  endpoint: ENDPOINT,
  fx_rate: FX_RATE,
  authentication: AUTHENTICATION,
  wallet_token: WALLET_TOKEN,
} as const satisfies { readonly [Type in ConfigRecord['type']]: { readonly id: Check<string> } }

export type Environment = ProgramConfig['environment']
export type ProgramStatus = ProgramConfig['status']
export type CardholderStatus = CardholderConfig['status']
export type CardStatus = CardConfig['status']
/** Cards, and accounts on a chain from which payments are made. */
export type InstrumentType = CardConfig['card_type']
export type CardType = Exclude<InstrumentType, 'account'>
export type BillingMismatchAction = ProgramConfig['billing_mismatch_action']

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
export const CONFIG_TYPES = Object.keys(CONFIG_FIELDS) as readonly ConfigType[]

/** A row that is gone; leaves a tombstone so that an older version cannot bring it back. */
export interface ConfigRemoval {
  type: ConfigType
  id: string
  version: number
  removed: true
}

export type ConfigChange = ConfigRecord | ConfigRemoval
