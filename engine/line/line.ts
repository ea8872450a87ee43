// Types shared by the steps of the authorization line: the `Line` with all its dependencies, and
// the objects that live per message. One place creates each object with all fields in one order, so
// the hot code sees one shape.
import type { Clock } from '../../shared/clock.ts'
import type { ErrorCode } from '../../shared/error-catalog.ts'
import type { Derivation } from '../../shared/keyring.ts'
import type { Logger } from '../../shared/log.ts'
import type { EndpointConfig, Environment } from '../../shared/wire/config-records.ts'
import type { PackedParts } from '../../shared/wire/decision-writer.ts'
import type {
  CardRecord,
  DecisionEntry,
  MessageRecord,
  MeterKey,
  ShadowVerdict,
  TenantRecord,
} from '../../shared/wire/journal-entry.ts'
import type { ConfigReader } from '../config-cache/reader.ts'
import type { DecisionLog } from '../journal/decision-log.ts'
import type { Metrics } from '../metrics.ts'
import type { Judged, Trace } from '../rules/rule.ts'
import type { DecisionState } from '../state/decision-state.ts'
import type { Admission, Breakers } from '../tenant/breaker.ts'
import type { TenantCaller } from '../tenant/caller.ts'

/** A card network that may sign messages, with its secret in memory only. */
export interface NetworkKey {
  id: string
  network: string
  environment: Environment
  secret: string
}

/** Secrets opened for use on the authorization line. */
export interface LineSecrets {
  /** Null until the derivation root is known and opens. */
  derivation(): Derivation | null
  networkKeys(): readonly NetworkKey[]
  /** The endpoint's active secrets, old first; empty if none opens. */
  endpointSecrets(endpoint: EndpointConfig): readonly string[]
}

/** Every side effect of a decision is a member here, so tests and the simulator can replace it. */
export interface Line {
  readonly clock: Clock
  readonly budgetMs: number
  readonly build: string
  readonly configCache: ConfigReader
  readonly secrets: LineSecrets
  readonly state: DecisionState
  readonly journal: DecisionLog
  readonly tenants: TenantCaller
  readonly breakers: Breakers
  readonly metrics: Metrics
  readonly log: Logger
  /** The shard that this engine decides for; null: there is only one. */
  readonly shard: string | null
  /** True when every decision is a log line (level debug): otherwise no log line is built. */
  readonly logsDecisions: boolean
  /** Ids and codes; an argument because it is random. */
  newTransactionId(now: number): TransactionId
  /** Null while the engine may decide; else the reason. */
  unready(): string | null
  /** Our own assertion failed: refuse the open messages, accept no more, exit. */
  stop(reason: string): void
}

/** One answer to one sender; a send to a disconnected sender does nothing. */
export interface Reply {
  send(status: number, body: string): void
  /** Called before `send` with the durable entry of a decision made for this sender. */
  decided?(entry: DecisionEntry): void
}

/** A message with a verified signature and its time of arrival. */
export interface Arrival {
  receivedAtMs: number
  receivedNs: number
  networkKey: NetworkKey
  reply: Reply
  /** The front door knows no shard for the card. */
  unlocated?: boolean
}

/** An error for the sender instead of a decision. Nothing is stored. */
export interface Refused {
  refused: ErrorCode
  param: string | null
  detail: string | undefined
  /** Every field at fault, the one in `param` first; null where the fault is not about fields. */
  errors: readonly MessageFault[] | null
}

/** A field of a message with the problem. */
export interface MessageFault {
  code: 'parameter_missing' | 'parameter_invalid'
  param: string | null
  message: string
}

/** Returns a refusal with its code, the field at fault and the problem. */
export function refusal(refused: ErrorCode, param: string | null = null, detail?: string): Refused {
  return { refused, param, detail, errors: null }
}

/**
 * A well-formed message. CVC and PIN live until gather has verified them; the PAN is already a
 * fingerprint.
 */
export interface Message {
  record: MessageRecord
  environment: Environment
  cardToken: string | null
  fingerprint: string | null
  expMonth: number
  expYear: number
  cvc: string | null
  pin: string | null
  /** 16 bytes that identify (network, id). */
  messageKey: Buffer
  contentHash: Buffer
  stale: boolean
}

/** Input of a verdict, and the windows the amount would count in. */
export interface Gathered {
  judged: Judged
  endpoint: EndpointConfig | null
  /** The card side of the entry, and the common part of the card's entries if it is known. */
  record: CardRecord
  packed: PackedParts | null
  keys: readonly MeterKey[]
  /** The meter of each window, -1 if not known. */
  meters: readonly number[]
  /** Milliseconds by which the tenant's clock is ahead of ours. */
  clockOffsetMs: number
}

/**
 * Durations of the steps in microseconds, filled step by step. The times to sign the request of
 * `ask` and to connect to the tenant stand apart.
 */
export interface StepTimes {
  decode: number
  recall: number
  gather: number
  judge: number
  reserve: number
  sign: number
  connect: number
  ask: number
  /** Monotonic nanoseconds when the last step ended. */
  lastNs: number
}

export interface TransactionId {
  text: string
  bytes: Buffer
}

/** Amount and count reserved in windows while an authorization request is decided. */
export interface Reservation {
  keys: readonly MeterKey[]
  amountCents: number
  count: number
}

/** A message between its first arrival and its durable answer. Repeats join it. */
export interface Pending {
  message: Message
  /** Receipt by our clock, as for all deadlines. */
  receivedAtMs: number
  receivedNs: number
  arrivals: Arrival[]
  gathered: Gathered | null
  /**
   * Milliseconds by which the tenant's clock is ahead of ours: windows, holds, schedules and
   * recorded moments follow it.
   */
  clockOffsetMs: number
  trace: Trace
  times: StepTimes
  /** The tenant's answer, once it is known or the wait ended. */
  tenant: TenantRecord | null
  /** The endpoint's breaker state at the time of the request. */
  breaker: Admission | null
  /** Transaction id: a new one, until the message is matched to an existing transaction. */
  transactionId: TransactionId | null
  /** Shared by the messages of a transaction; null without a card. */
  link: Buffer | null
  requestId: string
  /** Number of authorization requests judged since the engine started. */
  judgedOrder: number
  /** Windows and amount of an approval; null if the controls declined. */
  reservation: Reservation | null
  /**
   * True while the amount is reserved in the windows: from the request to the tenant until the
   * decision.
   */
  isReserved: boolean
  /**
   * Available amount for a balance inquiry in minor units of the card's currency; null otherwise.
   */
  availableCents: number | null
  shadow: readonly ShadowVerdict[]
  /** Set by conclude: the entry, its sequence, and the answer that leaves once it is synced. */
  entry: DecisionEntry | null
  seq: number
  answer: string
}
