// A journal entry and its bytes: msgpack of a positional array that begins with kind and format. Written by the engine,
// replayed by the engine, drained by the api. A field's place is the format: fields are only ever added at the end.
import { Packr } from 'msgpackr'
import { assert } from '../assert.ts'
import type {
  AuthorizationRecord,
  CardRecord,
  Decision,
  MessageRecord,
  TenantRecord,
  Timings,
} from './decision-record.ts'
import type { Environment } from './facts.ts'

export * from './decision-record.ts'

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
// biome-ignore-end format: rows end here.

const packr = new Packr({ useRecords: false })

/** The bytes of an entry; `decodeEntry` gives it back. */
export function encodeEntry(entry: JournalEntry): Buffer {
  if (entry.kind === 'late_reply')
    return packr.pack([KIND_LATE_REPLY, FORMAT, rowOf(LATE_REPLY, entry)])
  const { message, card, decision } = entry
  return packr.pack([
    KIND_DECISION,
    FORMAT,
    rowOf(HEAD, entry),
    rowOf(MESSAGE, message),
    card === null ? null : rowOf(CARD, card),
    rowOf(DECISION, decision),
    decision.tenant === null ? null : rowOf(TENANT, decision.tenant),
    rowOf(TIMINGS, decision.timings),
  ])
}

/** Throws on bytes that no version of this service wrote: a checksum already vouched for them, so it is our bug. */
export function decodeEntry(bytes: Uint8Array): JournalEntry {
  const [kind, format, head, message, card, decision, tenant, timings] = packr.unpack(bytes) as [
    number,
    number,
    Row,
    Row,
    Row | null,
    Row,
    Row | null,
    Row,
  ]
  assert(format === FORMAT, 'journal entry of an unknown format')
  if (kind === KIND_LATE_REPLY)
    return recordOf<LateReplyEntry>(LATE_REPLY, head, { kind: 'late_reply' })
  assert(kind === KIND_DECISION, 'journal entry of an unknown kind')
  return recordOf<DecisionEntry>(HEAD, head, {
    kind: 'decision',
    message: recordOf<MessageRecord>(MESSAGE, message, {}),
    card: card === null ? null : recordOf<CardRecord>(CARD, card, {}),
    decision: recordOf<Decision>(DECISION, decision, {
      tenant: tenant === null ? null : recordOf<TenantRecord>(TENANT, tenant, {}),
      timings: recordOf<Timings>(TIMINGS, timings, {}),
    }),
  })
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
