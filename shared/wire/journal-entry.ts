// What one journal entry holds, and its bytes: msgpack of a positional array that begins with kind and format.
// Written by the engine, replayed by the engine, drained by the api. No PAN, expiry or CVC has a place in it.
import { Packr } from 'msgpackr'
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

/** Outcomes after which the static controls stand in for the tenant. `not_configured` is not one: nobody was asked. */
export function isSilence(outcome: TenantOutcome): boolean {
  return (
    outcome !== 'answered_approve' && outcome !== 'answered_decline' && outcome !== 'not_configured'
  )
}

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

export interface DecisionEntry extends AuthorizationRecord {
  kind: 'decision'
  /** 16 bytes of Derivation.messageKey. */
  messageKey: Buffer
  /** 8 bytes of Derivation.contentHash. */
  contentHash: Buffer
  decision: Decision
}

/** A reply that came after the deadline: changes nothing but what people can see. */
export interface LateReplyEntry {
  kind: 'late_reply'
  transactionId: string
  tenantId: string
  environment: Environment
  repliedAtMs: number
  outcome: 'late_approve' | 'late_decline'
  latencyMs: number
  reason: string | null
  /** True when the late reply says the opposite of the decision. */
  disagrees: boolean
}

export type JournalEntry = DecisionEntry | LateReplyEntry

const FORMAT = 1
const KIND_DECISION = 1
const KIND_LATE_REPLY = 2

const packr = new Packr({ useRecords: false, variableMapSize: true, useFloat32: 0 })

export function encodeEntry(entry: JournalEntry): Buffer {
  return packr.pack(entry.kind === 'decision' ? decisionRow(entry) : lateReplyRow(entry))
}

function decisionRow(entry: DecisionEntry): unknown[] {
  const { message, card, decision } = entry
  const { tenant, timings } = decision
  return [
    KIND_DECISION,
    FORMAT,
    entry.messageKey,
    entry.contentHash,
    entry.transactionId,
    entry.requestId,
    entry.environment,
    entry.receivedAtMs,
    entry.budgetMs,
    [
      message.id,
      message.kind,
      message.network,
      message.networkTransactionId,
      message.transmittedAtMs,
      message.amountCents,
      message.currency,
      message.merchantId,
      message.merchantName,
      message.mcc,
      message.city,
      message.country,
      message.entryMethod,
      message.partialApprovalCapable,
    ],
    card === null
      ? null
      : [
          card.tenantId,
          card.programId,
          card.programVersion,
          card.cardholderId,
          card.cardholderVersion,
          card.cardholderStatus,
          card.cardId,
          card.cardVersion,
          card.cardStatus,
          card.cardType,
          card.last4,
          card.currency,
          card.controlVersions,
        ],
    entry.cvc,
    entry.expiry,
    entry.trace,
    entry.build,
    decision.approved,
    decision.approvedAmountCents,
    decision.responseCode,
    decision.authorizationCode,
    decision.declineReason,
    decision.declineDetail,
    decision.decidedBy,
    decision.standIn,
    decision.decidedAtMs,
    tenant === null
      ? null
      : [
          tenant.outcome,
          tenant.endpointId,
          tenant.httpStatus,
          tenant.latencyMs,
          tenant.attempts,
          tenant.errorHint,
          tenant.reason,
          tenant.approvedAmountCents,
          tenant.metadata,
          tenant.dropped,
        ],
    decision.meters,
    [
      timings.parse,
      timings.recall,
      timings.state_read,
      timings.controls,
      timings.reserve,
      timings.sign,
      timings.connect,
      timings.tenant_wait,
      timings.finalize,
      timings.total,
    ],
  ]
}

function lateReplyRow(entry: LateReplyEntry): unknown[] {
  return [
    KIND_LATE_REPLY,
    FORMAT,
    entry.transactionId,
    entry.tenantId,
    entry.environment,
    entry.repliedAtMs,
    entry.outcome,
    entry.latencyMs,
    entry.reason,
    entry.disagrees,
  ]
}

/** Throws on bytes that no version of this service wrote: a checksum already vouched for them, so it is our bug. */
export function decodeEntry(bytes: Uint8Array): JournalEntry {
  const row = packr.unpack(bytes) as unknown[]
  if (!Array.isArray(row) || row[1] !== FORMAT)
    throw new Error('journal entry of an unknown format')
  if (row[0] === KIND_DECISION) return decisionOf(row)
  if (row[0] === KIND_LATE_REPLY) return lateReplyOf(row)
  throw new Error('journal entry of an unknown kind')
}

function decisionOf(row: unknown[]): DecisionEntry {
  const [
    ,
    ,
    messageKey,
    contentHash,
    transactionId,
    requestId,
    environment,
    receivedAtMs,
    budgetMs,
    message,
    card,
    cvc,
    expiry,
    trace,
    build,
    approved,
    approvedAmountCents,
    responseCode,
    authorizationCode,
    declineReason,
    declineDetail,
    decidedBy,
    standIn,
    decidedAtMs,
    tenant,
    meters,
    timings,
  ] = row as [
    number,
    number,
    Buffer,
    Buffer,
    string | null,
    string,
    Environment,
    number,
    number,
    unknown[],
    unknown[] | null,
    Verification,
    Verification,
    TraceRow[],
    string,
    boolean,
    number,
    string,
    string | null,
    DeclineReason | null,
    string | null,
    DecidedBy,
    boolean,
    number,
    unknown[] | null,
    MeterKey[],
    unknown[],
  ]
  return {
    kind: 'decision',
    messageKey,
    contentHash,
    transactionId,
    requestId,
    environment,
    receivedAtMs,
    budgetMs,
    message: messageOf(message),
    card: card === null ? null : cardOf(card),
    cvc,
    expiry,
    trace,
    build,
    decision: {
      approved,
      approvedAmountCents,
      responseCode,
      authorizationCode,
      declineReason,
      declineDetail,
      decidedBy,
      standIn,
      decidedAtMs,
      tenant: tenant === null ? null : tenantOf(tenant),
      meters,
      timings: timingsOf(timings),
    },
  }
}

function messageOf(row: unknown[]): MessageRecord {
  const [
    id,
    kind,
    network,
    networkTransactionId,
    transmittedAtMs,
    amountCents,
    currency,
    merchantId,
    merchantName,
    mcc,
    city,
    country,
    entryMethod,
    partialApprovalCapable,
  ] = row as [
    string,
    'authorization',
    string,
    string,
    number,
    number,
    string,
    string,
    string,
    string,
    string,
    string,
    EntryMethod,
    boolean,
  ]
  return {
    id,
    kind,
    network,
    networkTransactionId,
    transmittedAtMs,
    amountCents,
    currency,
    merchantId,
    merchantName,
    mcc,
    city,
    country,
    entryMethod,
    partialApprovalCapable,
  }
}

function cardOf(row: unknown[]): CardRecord {
  const [
    tenantId,
    programId,
    programVersion,
    cardholderId,
    cardholderVersion,
    cardholderStatus,
    cardId,
    cardVersion,
    cardStatus,
    cardType,
    last4,
    currency,
    controlVersions,
  ] = row as [
    string,
    string,
    number,
    string,
    number,
    CardholderStatus,
    string,
    number,
    CardStatus,
    CardType,
    string,
    string,
    [number, number, number],
  ]
  return {
    tenantId,
    programId,
    programVersion,
    cardholderId,
    cardholderVersion,
    cardholderStatus,
    cardId,
    cardVersion,
    cardStatus,
    cardType,
    last4,
    currency,
    controlVersions,
  }
}

function tenantOf(row: unknown[]): TenantRecord {
  const [
    outcome,
    endpointId,
    httpStatus,
    latencyMs,
    attempts,
    errorHint,
    reason,
    approvedAmountCents,
    metadata,
    dropped,
  ] = row as [
    TenantOutcome,
    string | null,
    number | null,
    number | null,
    number,
    string | null,
    string | null,
    number | null,
    { [name: string]: string } | null,
    string[],
  ]
  return {
    outcome,
    endpointId,
    httpStatus,
    latencyMs,
    attempts,
    errorHint,
    reason,
    approvedAmountCents,
    metadata,
    dropped,
  }
}

function timingsOf(row: unknown[]): Timings {
  const [
    parse,
    recall,
    state_read,
    controls,
    reserve,
    sign,
    connect,
    tenant_wait,
    finalize,
    total,
  ] = row as number[]
  return {
    parse: parse ?? 0,
    recall: recall ?? 0,
    state_read: state_read ?? 0,
    controls: controls ?? 0,
    reserve: reserve ?? 0,
    sign: sign ?? 0,
    connect: connect ?? 0,
    tenant_wait: tenant_wait ?? 0,
    finalize: finalize ?? 0,
    total: total ?? 0,
  }
}

function lateReplyOf(row: unknown[]): LateReplyEntry {
  const [
    ,
    ,
    transactionId,
    tenantId,
    environment,
    repliedAtMs,
    outcome,
    latencyMs,
    reason,
    disagrees,
  ] = row as [
    number,
    number,
    string,
    string,
    Environment,
    number,
    'late_approve' | 'late_decline',
    number,
    string | null,
    boolean,
  ]
  return {
    kind: 'late_reply',
    transactionId,
    tenantId,
    environment,
    repliedAtMs,
    outcome,
    latencyMs,
    reason,
    disagrees,
  }
}
