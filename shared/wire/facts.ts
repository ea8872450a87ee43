// Configuration as the engine knows it. Filled by api from Postgres, pushed over the control socket, kept in LMDB.
// Every record carries the version of its row; an older version never replaces a newer one.
import type { MinorUnits } from '../money.ts'

export type Environment = 'sandbox' | 'live'
export type ProgramStatus = 'pending' | 'active' | 'suspended'
export type CardholderStatus = 'active' | 'inactive'
export type CardStatus = 'issued' | 'active' | 'suspended' | 'terminated'
export type CardType = 'virtual' | 'physical'
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
}

/** One dimension of a control: exactly one of the two lists, never both. */
export interface ListRule {
  mode: 'allow' | 'block'
  values: readonly string[]
}

export interface LimitFact {
  id: string
  interval: LimitInterval
  amount_cents: MinorUnits
  currency: string
  time_zone: string
}

/** What binds one program, cardholder or card; `id` is the subject's id. */
export interface ControlsFact {
  type: 'controls'
  id: string
  version: number
  scope: ControlScope
  mccs: ListRule | null
  merchants: ListRule | null
  countries: ListRule | null
  limits: readonly LimitFact[]
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
export type FactType = Fact['type']
export const FACT_TYPES = [
  'root',
  'network_key',
  'program',
  'cardholder',
  'card',
  'controls',
  'endpoint',
] as const satisfies readonly FactType[]

/** A row that is gone; leaves a tombstone so that an older version cannot bring it back. */
export interface FactRemoval {
  type: FactType
  id: string
  version: number
  removed: true
}

export type FactChange = Fact | FactRemoval
