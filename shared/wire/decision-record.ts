// What is known of an authorization, decided or not: the parts of a journal entry. No PAN, expiry or CVC has a place here.
import type { DeclineReason } from '../decline-reason.ts'
import type { TraceRow } from '../rule-catalog.ts'
import type { EntryMethod } from '../schemas/network-message.ts'
import type { CardholderStatus, CardStatus, CardType, Environment } from './facts.ts'

export type DecidedBy = 'static_controls' | 'tenant' | 'stand_in' | 'system'

export type TenantOutcome =
  | 'answered_approve'
  | 'answered_decline'
  | 'timeout_connect'
  | 'timeout_response'
  | 'connection_error'
  | 'tls_error'
  | 'http_status'
  | 'malformed_json'
  | 'malformed_schema'
  | 'oversized'
  | 'bulkhead_full'
  | 'not_configured'

export type Verification = 'match' | 'mismatch' | 'not_provided' | 'not_checked'

export interface MessageRecord {
  id: string
  kind: 'authorization'
  network: string
  networkTransactionId: string
  transmittedAtMs: number
  amountCents: number
  currency: string
  merchantId: string
  merchantName: string
  mcc: string
  city: string
  country: string
  entryMethod: EntryMethod
  partialApprovalCapable: boolean
}

/** The card side as it was when the decision was made. */
export interface CardRecord {
  tenantId: string
  programId: string
  programVersion: number
  cardholderId: string
  cardholderVersion: number
  cardholderStatus: CardholderStatus
  cardId: string
  cardVersion: number
  cardStatus: CardStatus
  cardType: CardType
  last4: string
  currency: string
  /** Versions of the controls of program, cardholder and card; 0 where there are none. */
  controlVersions: readonly [program: number, cardholder: number, card: number]
}

export interface TenantRecord {
  outcome: TenantOutcome
  endpointId: string | null
  httpStatus: number | null
  latencyMs: number | null
  attempts: number
  errorHint: string | null
  /** The tenant's own words for a decline, at most 64 characters. */
  reason: string | null
  approvedAmountCents: number | null
  metadata: { readonly [name: string]: string } | null
  /** Optional reply fields that were dropped because they were bad. */
  dropped: readonly string[]
}

/** Microseconds per step; `total` is receipt to journal append. */
export interface Timings {
  parse: number
  recall: number
  state_read: number
  controls: number
  reserve: number
  sign: number
  connect: number
  tenant_wait: number
  finalize: number
  total: number
}

/** The windows an amount was counted in: subject, zone, currency and local day; week, month and year follow from it. */
export type MeterKey = readonly [subject: string, zone: string, currency: string, day: number]

export interface Decision {
  approved: boolean
  approvedAmountCents: number
  responseCode: string
  authorizationCode: string | null
  declineReason: DeclineReason | null
  /** Which control object or limit declined, for example `card:lim_…`. */
  declineDetail: string | null
  decidedBy: DecidedBy
  standIn: boolean
  decidedAtMs: number
  tenant: TenantRecord | null
  meters: readonly MeterKey[]
  timings: Timings
}

/** Everything known of an authorization before it is decided: what the tenant is shown. */
export interface AuthorizationRecord {
  transactionId: string | null
  requestId: string
  environment: Environment
  receivedAtMs: number
  budgetMs: number
  message: MessageRecord
  /** Null where no card was found. */
  card: CardRecord | null
  cvc: Verification
  expiry: Verification
  trace: readonly TraceRow[]
  /** Build of the engine that decided. */
  build: string
}
