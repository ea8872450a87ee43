// What the steps of the authorization line share: the line with everything it may touch, and the objects that live per
// message. Each is created in one place with all fields in one order, so that the hot line sees one shape.
import type { Clock } from '../../shared/clock.ts'
import type { ErrorCode } from '../../shared/error-catalog.ts'
import type { Derivation } from '../../shared/keyring.ts'
import type { Logger } from '../../shared/log.ts'
import type { PackedParts } from '../../shared/wire/decision-writer.ts'
import type { EndpointFact, Environment } from '../../shared/wire/facts.ts'
import type {
  CardRecord,
  DecisionEntry,
  MessageRecord,
  MeterKey,
  ShadowVerdict,
  TenantRecord,
} from '../../shared/wire/journal-entry.ts'
import type { FactsReader } from '../facts/reader.ts'
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

/** Secrets opened for use on the line. */
export interface LineSecrets {
  /** Null until the derivation root is known and opens. */
  derivation(): Derivation | null
  networkKeys(): readonly NetworkKey[]
  /** The endpoint's active secrets, old first; empty when none opens. */
  endpointSecrets(endpoint: EndpointFact): readonly string[]
}

/** Every side effect of a decision hangs here, so that tests and the simulator bring their own. */
export interface Line {
  readonly clock: Clock
  readonly budgetMs: number
  readonly build: string
  readonly facts: FactsReader
  readonly secrets: LineSecrets
  readonly state: DecisionState
  readonly journal: DecisionLog
  readonly tenants: TenantCaller
  readonly breakers: Breakers
  readonly metrics: Metrics
  readonly log: Logger
  /** True when every decision is a log line (level debug): nothing is built for a line nobody reads. */
  readonly logsDecisions: boolean
  /** Ids and codes; an argument because it is random. */
  newTransactionId(now: number): TransactionId
  /** Null while the engine may decide; else why not. */
  unready(): string | null
  /** Our own assertion failed: refuse what is open, stop accepting, leave. */
  stop(reason: string): void
}

/** One answer to one sender; sending to a sender that hung up does nothing. */
export interface Reply {
  send(status: number, body: string): void
}

/** A message whose signature was verified, with when it came. */
export interface Arrival {
  receivedAtMs: number
  receivedNs: number
  networkKey: NetworkKey
  reply: Reply
}

/** No decision: the error the sender gets instead. Nothing is stored. */
export interface Refused {
  refused: ErrorCode
  param: string | null
  detail: string | undefined
}

/** A refusal with its code, the field at fault and what is wrong with it. */
export function refusal(refused: ErrorCode, param: string | null = null, detail?: string): Refused {
  return { refused, param, detail }
}

/** A well-formed message. CVC and PIN live until gather has verified them; the PAN is already a fingerprint. */
export interface Message {
  record: MessageRecord
  environment: Environment
  cardToken: string | null
  fingerprint: string | null
  expMonth: number
  expYear: number
  cvc: string | null
  pin: string | null
  /** 16 bytes naming (network, id). */
  messageKey: Buffer
  contentHash: Buffer
  stale: boolean
}

/** The facts a verdict needs, and the windows the amount would count in. */
export interface Gathered {
  judged: Judged
  endpoint: EndpointFact | null
  /** The card side of the entry, and what the entries of the card have in common, where that is known. */
  record: CardRecord
  packed: PackedParts | null
  keys: readonly MeterKey[]
  /** The meter of each as far as it is known, -1 where it is not. */
  meters: readonly number[]
  /** How far the tenant's clock is ahead of ours, in milliseconds. */
  clockOffsetMs: number
}

/** Durations of the steps in microseconds, filled as the message moves on. */
export interface StepTimes {
  parse: number
  recall: number
  stateRead: number
  controls: number
  reserve: number
  sign: number
  connect: number
  tenantWait: number
  /** Monotonic nanoseconds when the last step ended. */
  lastNs: number
}

export interface TransactionId {
  text: string
  bytes: Buffer
}

/** Amount and number that wait in windows while a question is decided. */
export interface Reservation {
  keys: readonly MeterKey[]
  amountCents: number
  count: number
}

/** A message between its first arrival and its durable answer. Repeats join it. */
export interface Pending {
  message: Message
  /** By our clock, as are all deadlines. */
  receivedAtMs: number
  receivedNs: number
  arrivals: Arrival[]
  gathered: Gathered | null
  /** How far the tenant's clock is ahead of ours: by it windows, holds and schedules are judged and moments recorded. */
  clockOffsetMs: number
  trace: Trace
  times: StepTimes
  /** What the tenant said, once it is known or given up. */
  tenant: TenantRecord | null
  /** What the endpoint's breaker said when it was to be asked. */
  breaker: Admission | null
  /** The transaction's: a new one's, until it is known to belong to one that exists. */
  transactionId: TransactionId | null
  /** What the messages of the transaction share; null without a card. */
  link: Buffer | null
  requestId: string
  /** Counts the questions that were judged since the engine started. */
  judgedOrder: number
  /** Where an approval counts and how much; null where the controls declined. */
  reservation: Reservation | null
  /** True while it stands in the windows: from the question to the tenant until the decision. */
  isReserved: boolean
  /** Minor units of the card's currency that a balance inquiry is told; null otherwise. */
  availableCents: number | null
  shadow: readonly ShadowVerdict[]
  /** Set by conclude: the entry, its sequence, and the answer that leaves once it is synced. */
  entry: DecisionEntry | null
  seq: number
  answer: string
}
