// A journal entry and its bytes: msgpack of a positional array that begins with kind and format. Written by the engine,
// replayed by the engine, drained by the api. A field's place is the format: fields are only ever added at the end.

import { hash } from 'node:crypto'
import { Packr } from 'msgpackr'
import { AssertionFailure, assert } from '../assert.ts'
import { noSums, SUM_NAMES, type Sums, TRANSACTION_FLAGS } from '../transaction-sums.ts'
import type {
  AuthorizationRecord,
  CardRecord,
  Decision,
  Effect,
  MessageRecord,
  TenantRecord,
  Timings,
} from './decision-record.ts'
import type { Environment } from './facts.ts'

export * from './decision-record.ts'

/** Every message of a network that was answered: a question with its decision, a fact with `decidedBy: network`. */
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

/** A hold that ran out. Tenant and card are those of its transaction. */
export interface ExpiryEntry {
  kind: 'expiry'
  transactionId: string
  expiredAtMs: number
  effect: Effect
}

/** A fraud rule stopped a card: the engine declines from here on, and PostgreSQL suspends the card when it reads this. */
export interface CardSuspensionEntry {
  kind: 'card_suspension'
  cardId: string
  tenantId: string
  environment: Environment
  /** Version of the card's fact that was judged. */
  cardVersion: number
  suspendedAtMs: number
  /** Name of the fraud rule. */
  rule: string
  /** The transaction that tripped it. */
  transactionId: string | null
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

export type JournalEntry = DecisionEntry | LateReplyEntry | ExpiryEntry | CardSuspensionEntry

const FORMAT = 1
const KIND_DECISION = 1
const KIND_LATE_REPLY = 2
const KIND_EXPIRY = 3
const KIND_CARD_SUSPENSION = 4

// biome-ignore-start format: the order of fields is the format; it reads better in rows.
const HEAD: readonly (keyof DecisionEntry)[] = [
  'messageKey',
  'contentHash',
  'transactionId',
  'requestId',
  'environment',
  'receivedAtMs',
  'budgetMs',
  'cvc',
  'expiry',
  'trace',
  'build',
  'pin',
  'threeDs',
  'walletToken',
  'cardAmountCents',
  'fx',
  'judgedSeq',
  'judgedOrder',
]
const MESSAGE: readonly (keyof MessageRecord)[] = [
  'id',
  'kind',
  'network',
  'networkTransactionId',
  'transmittedAtMs',
  'amountCents',
  'currency',
  'merchantId',
  'merchantName',
  'mcc',
  'city',
  'country',
  'entryMethod',
  'partialApprovalCapable',
  'originalNetworkTransactionId',
  'transactionType',
  'final',
  'initiator',
  'recurring',
  'fallbackFromChip',
  'billingAmountCents',
  'billingCurrency',
  'billingRate',
  'cashbackCents',
  'feeCents',
  'advice',
  'walletProvider',
  'walletTokenId',
  'threeDsId',
  'threeDsClaim',
]
const CARD: readonly (keyof CardRecord)[] = [
  'tenantId',
  'programId',
  'programVersion',
  'cardholderId',
  'cardholderVersion',
  'cardholderStatus',
  'cardId',
  'cardVersion',
  'cardStatus',
  'cardType',
  'last4',
  'currency',
  'controlVersions',
]
const DECISION: readonly (keyof Decision)[] = [
  'approved',
  'approvedAmountCents',
  'responseCode',
  'authorizationCode',
  'declineReason',
  'declineDetail',
  'decidedBy',
  'standIn',
  'decidedAtMs',
  'meters',
  'holdCents',
  'availableCents',
  'standInCap',
  'standInWould',
  'breaker',
  'shadow',
  'marks',
  'wouldStop',
]
const TENANT: readonly (keyof TenantRecord)[] = [
  'outcome',
  'endpointId',
  'httpStatus',
  'latencyMs',
  'attempts',
  'errorHint',
  'reason',
  'approvedAmountCents',
  'metadata',
  'dropped',
]
const TIMINGS: readonly (keyof Timings)[] = [
  'parse',
  'recall',
  'state_read',
  'controls',
  'reserve',
  'sign',
  'connect',
  'tenant_wait',
  'finalize',
  'total',
]
const LATE_REPLY: readonly (keyof LateReplyEntry)[] = [
  'transactionId',
  'tenantId',
  'environment',
  'repliedAtMs',
  'outcome',
  'latencyMs',
  'reason',
  'disagrees',
]
const EFFECT: readonly (keyof Effect)[] = [
  'link',
  'sequence',
  'event',
  'amountCents',
  'flags',
  'holdExpiresAtMs',
]
const EXPIRY: readonly (keyof ExpiryEntry)[] = ['transactionId', 'expiredAtMs']
const CARD_SUSPENSION: readonly (keyof CardSuspensionEntry)[] = [
  'cardId',
  'tenantId',
  'environment',
  'cardVersion',
  'suspendedAtMs',
  'rule',
  'transactionId',
]
// biome-ignore-end format: rows end here.

const packr = new Packr({ useRecords: false })

/** The bytes of an entry; `decodeEntry` gives it back. */
export function encodeEntry(entry: JournalEntry): Buffer {
  switch (entry.kind) {
    case 'decision':
      return encodeDecision(entry)
    case 'late_reply':
      return packr.pack([KIND_LATE_REPLY, FORMAT, rowOf(LATE_REPLY, entry)])
    case 'expiry':
      return packr.pack([KIND_EXPIRY, FORMAT, rowOf(EXPIRY, entry), effectRow(entry.effect)])
    case 'card_suspension':
      return packr.pack([KIND_CARD_SUSPENSION, FORMAT, rowOf(CARD_SUSPENSION, entry)])
  }
}

function encodeDecision(entry: DecisionEntry): Buffer {
  const { message, card, decision, effect } = entry
  return packr.pack([
    KIND_DECISION,
    FORMAT,
    rowOf(HEAD, entry),
    rowOf(MESSAGE, message),
    card === null ? null : rowOf(CARD, card),
    rowOf(DECISION, decision),
    decision.tenant === null ? null : rowOf(TENANT, decision.tenant),
    rowOf(TIMINGS, decision.timings),
    effect === null ? null : effectRow(effect),
  ])
}

/** Throws on bytes that no version of this service wrote: a checksum already vouched for them, so it is our bug. */
export function decodeEntry(bytes: Uint8Array): JournalEntry {
  const [kind, format, ...rows] = packr.unpack(bytes) as [number, number, ...(Row | null)[]]
  assert(format === FORMAT, 'journal entry of an unknown format')
  const head = rows[0] ?? []
  switch (kind) {
    case KIND_DECISION:
      return decodeDecision(rows)
    case KIND_LATE_REPLY:
      return recordOf<LateReplyEntry>(LATE_REPLY, head, { kind: 'late_reply' })
    case KIND_EXPIRY:
      return recordOf<ExpiryEntry>(EXPIRY, head, {
        kind: 'expiry',
        effect: effectOf(rows[1] ?? []),
      })
    case KIND_CARD_SUSPENSION:
      return recordOf<CardSuspensionEntry>(CARD_SUSPENSION, head, { kind: 'card_suspension' })
    default:
      throw new AssertionFailure('journal entry of an unknown kind')
  }
}

function decodeDecision(rows: readonly (Row | null)[]): DecisionEntry {
  const [head, message, card, decision, tenant, timings, effect] = rows
  const written = recordOf<DecisionEntry>(HEAD, head ?? [], {
    kind: 'decision',
    message: recordOf<MessageRecord>(MESSAGE, message ?? [], {}),
    card: card == null ? null : recordOf<CardRecord>(CARD, card, {}),
    decision: recordOf<Decision>(DECISION, decision ?? [], {
      tenant: tenant == null ? null : recordOf<TenantRecord>(TENANT, tenant, {}),
      timings: recordOf<Timings>(TIMINGS, timings ?? [], {}),
    }),
    effect: effect == null ? null : effectOf(effect),
  })
  return (message?.length ?? 0) > FIRST_MESSAGE_FIELDS ? written : completed(written)
}

/** Fields a message had in the first release, which knew authorizations only. */
const FIRST_MESSAGE_FIELDS = 14

/** An entry of the first release, with what its authorization meant in the words of today. */
function completed(entry: DecisionEntry): DecisionEntry {
  const { message, decision, card } = entry
  const approved = decision.approvedAmountCents
  return {
    ...entry,
    pin: 'not_checked',
    threeDs: 'none',
    walletToken: null,
    cardAmountCents: message.amountCents,
    fx: null,
    judgedSeq: 0,
    judgedOrder: 0,
    message: {
      ...message,
      ...PLAIN_MESSAGE,
      originalNetworkTransactionId: message.networkTransactionId,
    },
    decision: {
      ...decision,
      holdCents: approved,
      availableCents: null,
      standInCap: null,
      standInWould: null,
      breaker: null,
      shadow: [],
      marks: [],
      wouldStop: [],
    },
    effect:
      card === null
        ? null
        : {
            link: transactionLink(message.network, card.tenantId, message.networkTransactionId),
            sequence: 1,
            event: decision.approved ? 'authorized' : 'declined',
            amountCents: approved,
            sums: { ...noSums(), authorized: approved },
            flags: decision.approved ? 0 : TRANSACTION_FLAGS.declined,
            holdExpiresAtMs: decision.approved ? entry.receivedAtMs + FIRST_HOLD_MS : 0,
          },
  }
}

/** What a message of the first release leaves unsaid. */
const PLAIN_MESSAGE = {
  transactionType: 'purchase',
  final: false,
  initiator: 'cardholder',
  recurring: false,
  fallbackFromChip: false,
  billingAmountCents: null,
  billingCurrency: null,
  billingRate: null,
  cashbackCents: 0,
  feeCents: 0,
  advice: null,
  walletProvider: null,
  walletTokenId: null,
  threeDsId: null,
  threeDsClaim: null,
} as const
/** The first release let every hold stand for 31 days. */
const FIRST_HOLD_MS = 31 * 24 * 3_600_000

/** What the messages of one transaction share: 16 bytes of network, tenant and the original's network transaction id. */
export function transactionLink(
  network: string,
  tenantId: string,
  networkTransactionId: string,
): Buffer {
  const text = network + '\0' + tenantId + '\0' + networkTransactionId
  return hash('sha256', text, 'buffer').subarray(0, 16)
}

function effectRow(effect: Effect): Row {
  return [rowOf(EFFECT, effect), rowOf(SUM_NAMES, effect.sums)]
}

function effectOf(row: Row): Effect {
  const [effect, sums] = row as [Row, Row]
  return recordOf<Effect>(EFFECT, effect, { sums: recordOf<Sums>(SUM_NAMES, sums, {}) })
}

type Row = readonly unknown[]

function rowOf<Record extends object>(fields: readonly (keyof Record)[], record: Record): Row {
  const row = new Array<unknown>(fields.length)
  for (let index = 0; index < fields.length; index++)
    row[index] = record[fields[index] as keyof Record]
  return row
}

function recordOf<Record extends object>(
  fields: readonly (keyof Record)[],
  row: Row,
  rest: Partial<Record>,
): Record {
  const record = { ...rest }
  for (let index = 0; index < fields.length; index++) {
    record[fields[index] as keyof Record] = row[index] as Record[keyof Record]
  }
  return record as Record
}
