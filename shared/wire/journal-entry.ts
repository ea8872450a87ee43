// A journal entry and its bytes: msgpack of a positional array that begins with kind and format.
// Written by the engine, replayed by the engine, drained by the api. A field's place is the format:
// fields are only ever added at the end.

import { Packr } from 'msgpackr'
import { SUM_NAMES, type Sums } from '../transaction-sums.ts'
import { UnknownFormat } from '../unknown-format.ts'
import type { Environment } from './config-records.ts'
import type {
  CardRecord,
  Decision,
  DecisionEntry,
  Effect,
  MessageRecord,
  TenantRecord,
  Timings,
} from './decision-record.ts'
import { type PackedParts, writeDecision } from './decision-writer.ts'
import { MsgpackWriter } from './msgpack-writer.ts'
import { type Row, recordOf, rowOf } from './rows.ts'

export * from './decision-record.ts'
export { namesOriginal, transactionLink } from './transaction-link.ts'

/** A hold that ran out. Tenant and card are those of its transaction. */
export interface ExpiryEntry {
  kind: 'expiry'
  transactionId: string
  expiredAtMs: number
  effect: Effect
}

/**
 * A fraud rule stopped a card: the engine declines from here on, and PostgreSQL suspends the card
 * when it reads this.
 */
export interface CardSuspensionEntry {
  kind: 'card_suspension'
  cardId: string
  tenantId: string
  environment: Environment
  /** Version of the card's config record in the judgement. */
  cardVersion: number
  suspendedAtMs: number
  /** Name of the fraud rule. */
  rule: string
  /** The transaction that tripped it. */
  transactionId: string | null
}

/** A reply that came after the deadline. It is only shown and changes nothing else. */
export interface LateReplyEntry {
  kind: 'late_reply'
  transactionId: string
  tenantId: string
  environment: Environment
  repliedAtMs: number
  outcome: 'late_approve' | 'late_decline'
  latencyMs: number
  reason: string | null
  /** True if the late reply disagrees with the decision. */
  disagrees: boolean
  /** The authorization request that it answers. */
  requestId: string
  /** Sequence of that request's effect on the transaction. */
  sequence: number
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
  'clockOffsetMs',
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
  'isRepeat',
  'holdExpiresAtMs',
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
  'windowsId',
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
  'standInPolicyVersion',
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
  'requestId',
  'sequence',
]
const EFFECT: readonly (keyof Effect)[] = [
  'link',
  'sequence',
  'event',
  'amountCents',
  'flags',
  'holdExpiresAtMs',
  'early',
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
const writer = new MsgpackWriter()

/** The bytes of an entry; `decodeEntry` gives it back. */
export function encodeEntry(entry: JournalEntry): Buffer {
  return Buffer.from(packEntry(entry))
}

/** The same bytes, valid until the next entry is packed. The caller copies them at once. */
export function packEntry(entry: JournalEntry, parts: PackedParts | null = null): Buffer {
  switch (entry.kind) {
    case 'decision':
      writer.begin()
      writer.array(9)
      writer.number(KIND_DECISION)
      writer.number(FORMAT)
      writeDecision(writer, entry, parts)
      return writer.written()
    case 'late_reply':
      return packr.pack([KIND_LATE_REPLY, FORMAT, rowOf(LATE_REPLY, entry)])
    case 'expiry':
      return packr.pack([KIND_EXPIRY, FORMAT, rowOf(EXPIRY, entry), effectRow(entry.effect)])
    case 'card_suspension':
      return packr.pack([KIND_CARD_SUSPENSION, FORMAT, rowOf(CARD_SUSPENSION, entry)])
  }
}

/**
 * Throws UnknownFormat on an entry of a newer version. Fields that a newer version added at the end
 * are left behind.
 */
export function decodeEntry(bytes: Uint8Array): JournalEntry {
  const [kind, format, ...rows] = packr.unpack(bytes) as [number, number, ...(Row | null)[]]
  if (format !== FORMAT) throw new UnknownFormat('a journal entry of an unknown format, ' + format)
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
      throw new UnknownFormat('a journal entry of an unknown kind, ' + kind)
  }
}

function decodeDecision(rows: readonly (Row | null)[]): DecisionEntry {
  const [head, message, card, decision, tenant, timings, effect] = rows
  return recordOf<DecisionEntry>(HEAD, head ?? [], {
    kind: 'decision',
    message: recordOf<MessageRecord>(MESSAGE, message ?? [], {}),
    card: card == null ? null : recordOf<CardRecord>(CARD, card, {}),
    decision: recordOf<Decision>(DECISION, decision ?? [], {
      tenant: tenant == null ? null : recordOf<TenantRecord>(TENANT, tenant, {}),
      timings: recordOf<Timings>(TIMINGS, timings ?? [], {}),
    }),
    effect: effect == null ? null : effectOf(effect),
  })
}

function effectRow(effect: Effect): Row {
  return [rowOf(EFFECT, effect), rowOf(SUM_NAMES, effect.sums)]
}

function effectOf(row: Row): Effect {
  const sums = recordOf<Sums>(SUM_NAMES, row[1] as Row, {})
  return recordOf<Effect>(EFFECT, row[0] as Row, { sums })
}
