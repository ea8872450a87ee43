// The data of an authorization, decided or not: the parts of a journal entry. No PAN, expiry or CVC
// has a place here.
import type { DeclineReason } from '../decline-reason.ts'
import type { TraceRow } from '../rule-catalog.ts'
import type {
  EntryMethod,
  MessageKind,
  ThreeDsClaim,
  TransactionType,
} from '../schemas/network-message.ts'
import type { EarlyReversals, Sums } from '../transaction-sums.ts'
import type {
  CardholderStatus,
  CardStatus,
  Environment,
  FraudRuleName,
  InstrumentType,
} from './config-records.ts'

export type DecidedBy =
  | 'static_controls'
  | 'tenant'
  | 'stand_in'
  | 'system'
  | 'network'
  | 'sponsor_bank'

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
  | 'breaker_open'
  | 'not_configured'

export type Verification = 'match' | 'mismatch' | 'not_provided' | 'not_checked'

/**
 * The result of a 3DS authentication as the issuer knows it; `claimed_…` if only the network says
 * it.
 */
export type ThreeDsResult =
  | 'authenticated'
  | 'attempted'
  | 'failed'
  | 'claimed_authenticated'
  | 'claimed_attempted'
  | 'claimed_failed'
  | 'exempt'
  | 'none'

export type WalletTokenStatus = 'active' | 'suspended' | 'deactivated' | 'unknown'

/** How an amount in another currency became one in the card's. */
export interface FxRecord {
  /** Units of the card's currency for one unit of the message's, as a decimal; margin included. */
  rate: string
  /** `authorization`: none is known today, so that of the transaction itself. */
  source: 'network' | 'internal' | 'authorization'
  /** When the rate was set, or null where the network gave none. */
  rateAtMs: number | null
  marginBps: number
  /**
   * Version of our own rate, also where the network's was only compared with it; 0 where there was
   * none.
   */
  version: number
  /**
   * For the network's rate: whether it was compared with a rate of ours. Absent for other rates.
   */
  verified?: boolean
}

export interface MessageRecord {
  id: string
  kind: MessageKind
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
  /**
   * The transaction the message is about; its own network transaction id where it names no other.
   */
  originalNetworkTransactionId: string
  transactionType: TransactionType
  final: boolean
  initiator: 'cardholder' | 'merchant'
  recurring: boolean
  fallbackFromChip: boolean
  billingAmountCents: number | null
  billingCurrency: string | null
  billingRate: string | null
  cashbackCents: number
  feeCents: number
  /** Null where the message is no advice. */
  advice: { approved: boolean; decidedBy: 'network' | 'sponsor_bank'; code: string } | null
  walletProvider: string | null
  walletTokenId: string | null
  threeDsId: string | null
  threeDsClaim: ThreeDsClaim | null
  /** A repeat of a message that never reached us. */
  isRepeat: boolean
  /**
   * The end of the hold, which a payment sets itself; null where the table of hold expiry decides,
   * and in entries from before this field.
   */
  holdExpiresAtMs: number | null
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
  cardType: InstrumentType
  last4: string
  currency: string
  /** Versions of the controls of program, cardholder and card; 0 where there are none. */
  controlVersions: readonly [program: number, cardholder: number, card: number]
  /** The card whose windows it continues: its own id, or the first of its replacement chain. */
  windowsId: string
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

/**
 * The windows in which an amount was counted: subject, zone, currency and local day; week, month
 * and year follow from it. With a filter, only matching amounts are counted. A rolling window has
 * the zone `rolling:<seconds>` and, in place of the day, the tenth of a second since 2020.
 */
export type MeterKey = readonly [
  subject: string,
  zone: string,
  currency: string,
  day: number,
  filter?: string,
]

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
  /**
   * The windows in which this message's amount is counted; empty if it adds nothing or follows its
   * original's.
   */
  meters: readonly MeterKey[]
  timings: Timings
  /**
   * Held for an approval, in the card's currency: the amount and the preset's addition. 0 for a
   * decline.
   */
  holdCents: number
  /** For a balance inquiry: the amount that could be spent; null otherwise. */
  availableCents: number | null
  /** Which stand-in cap or fraud rule declined, or null. */
  standInCap: string | null
  /**
   * The answer that stand-in would have given, for every authorization whose tenant was asked; null
   * if none was.
   */
  standInWould: { approve: boolean; reason: DeclineReason | null } | null
  /** The breaker of the endpoint when it was to be asked; null where it was not. */
  breaker: 'closed' | 'open' | 'half_open' | null
  /** Verdicts of drafts, which change nothing. */
  shadow: readonly ShadowVerdict[]
  /** The fraud rules that count this message. */
  marks: readonly FraudMark[]
  /** Fraud rules in draft that would have stopped the card. */
  wouldStop: readonly FraudRuleName[]
  /**
   * Version of the policy behind `standInWould`, 0 if the program had none; null if no tenant was
   * asked.
   */
  standInPolicyVersion: number | null
}

/** A moment that a fraud rule counts on the card; it keeps the latest `keep`. */
export interface FraudMark {
  rule: FraudRuleName
  keep: number
}

export interface ShadowVerdict {
  controlId: string
  version: number
  /** Null: the draft would let it pass. */
  reason: DeclineReason | null
}

/** The effect of a message on its transaction; every message has exactly one. */
export interface Effect {
  /** 16 bytes that the messages of one transaction share: `transactionLink`. */
  link: Buffer
  /** Counts the effects on the transaction, from 1. */
  sequence: number
  event: 'authorized' | 'declined' | 'captured' | 'refunded' | 'reversed'
  /** Minor units of the card's currency that the message moved. */
  amountCents: number
  /** The sums after it. */
  sums: Sums
  /** TRANSACTION_FLAGS after it. */
  flags: number
  /** When the open hold ends; 0 where none is open. */
  holdExpiresAtMs: number
  /** Reversals that wait for their capture or refund after it; null where none waits. */
  early: EarlyReversals | null
}

/** All data of an authorization before the decision, as the tenant gets it. */
export interface AuthorizationRecord {
  transactionId: string | null
  requestId: string
  environment: Environment
  /** By the tenant's clock. */
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
  pin: Verification
  threeDs: ThreeDsResult
  walletToken: WalletTokenStatus | null
  /** The message's amount in the card's currency. */
  cardAmountCents: number
  /** Null where message and card have one currency. */
  fx: FxRecord | null
  /**
   * The last entry that was applied when the message was judged: with it a decision can be made
   * again.
   */
  judgedSeq: number
  /**
   * Counts the authorization requests since the engine started: their order after the same last
   * entry.
   */
  judgedOrder: number
  /** How far the tenant's clock was ahead of ours: every moment in the entry is by the tenant's. */
  clockOffsetMs: number
}

/**
 * Every answered message of a network: an authorization request with its decision, a notification
 * with `decidedBy: network`.
 */
export interface DecisionEntry extends AuthorizationRecord {
  kind: 'decision'
  /** 16 bytes of Derivation.messageKey. */
  messageKey: Buffer
  /** 8 bytes of Derivation.contentHash. */
  contentHash: Buffer
  decision: Decision
  /** Null where no card was found. */
  effect: Effect | null
}
