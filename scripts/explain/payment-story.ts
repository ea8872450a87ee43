// All data about one payment or one settlement batch: itself and its events from the API, the
// approval and the attempts on the chain from the database beside it.
import type { Result } from '../../shared/result.ts'
import type { EventEnvelope } from '../../shared/schemas/event.ts'
import type { Payment } from '../../shared/schemas/payment.ts'
import type { SettlementBatch } from '../../shared/schemas/settlement-batch.ts'
import { type Delivery, readDeliveries } from './deliveries.ts'
import { findJournalEntries, type JournalEntry } from './journal-entries.ts'
import {
  type Approved,
  type Attempt,
  readApproval,
  readAttempts,
  readMandateApproval,
} from './payment-rows.ts'
import { complaintIn, read, readPages } from './read-api.ts'
import type { StorySources } from './story.ts'

export interface PaymentStory {
  payment: Payment
  /**
   * The stored approval, of the payment or its mandate, checked again offline; null: none yet; a
   * sentence if it is unknown.
   */
  approval: Approved | null | string
  batches: BatchStory[]
  /** From the journal's files; a sentence if they cannot be read. */
  journal: JournalEntry[] | string
  events: EventEnvelope<object>[]
  deliveries: Delivery[] | string
}

export interface BatchStory {
  batch: SettlementBatch
  /** Ids of its payments. */
  payments: string[]
  /** Signed transactions; a sentence if they are unknown. */
  attempts: Attempt[] | string
  events: EventEnvelope<object>[]
  deliveries: Delivery[] | string
}

const UNKNOWN = 'unknown: no database is known here'

const KINDS = { pay: 'payment', stb: 'batch', man: 'mandate', wdr: 'withdrawal' } as const

/** Null for an id of another kind. */
export function storyKind(id: string): (typeof KINDS)[keyof typeof KINDS] | null {
  const [prefix = ''] = id.split('_', 1)
  return Object.hasOwn(KINDS, prefix) ? KINDS[prefix as keyof typeof KINDS] : null
}

/** The payment's data, or a sentence that gives the reason for its absence. */
export async function readPaymentStory(
  sources: StorySources,
  id: string,
): Promise<Result<PaymentStory, string>> {
  const payment = await one<Payment>(sources, 'payments', id)
  if (!payment.ok) return payment
  const told = await toldAbout(sources, id)
  if (!told.ok) return told
  const { captures, refunds, payment_mandate_id: mandateId } = payment.value
  const ids = new Set([...captures, ...refunds].flatMap(({ settlement_batch_id: of }) => of ?? []))
  const batches: BatchStory[] = []
  for (const batchId of ids) {
    const batch = await readBatchStory(sources, batchId)
    if (!batch.ok) return batch
    batches.push(batch.value)
  }
  const journal = await findJournalEntries(sources.dataDir, id)
  return {
    ok: true,
    value: {
      ...{ payment: payment.value, batches, ...told.value },
      approval: await fromDatabase(sources, (url) =>
        mandateId === null
          ? readApproval(url, id, sources.dataDir)
          : readMandateApproval(url, mandateId, sources.dataDir),
      ),
      journal: journal.ok ? journal.value : journal.error,
    },
  }
}

/** The batch's data, or a sentence that gives the reason for its absence. */
export async function readBatchStory(
  sources: StorySources,
  id: string,
): Promise<Result<BatchStory, string>> {
  const batch = await one<SettlementBatch>(sources, 'settlement_batches', id)
  if (!batch.ok) return batch
  const told = await toldAbout(sources, id)
  if (!told.ok) return told
  const path = '/v1/settlement_batches/' + id + '/payments?order=asc'
  const payments = await readPages<{ id: string }>(sources, path)
  if (!payments.ok) return payments
  return {
    ok: true,
    value: {
      ...{ batch: batch.value, ...told.value, payments: payments.value.map((each) => each.id) },
      attempts: await fromDatabase(sources, (url) => readAttempts(url, id)),
    },
  }
}

/** A resource of the API, or a sentence about its absence. */
export async function one<Value>(
  { apiUrl, key }: StorySources,
  list: string,
  id: string,
): Promise<Result<Value, string>> {
  const answer = await read(apiUrl + '/v1/' + list + '/' + encodeURIComponent(id), key)
  if (!answer.ok) return answer
  const { status, body } = answer.value
  if (status === 200) return { ok: true, value: body as Value }
  const sentence =
    status === 404
      ? 'No ' + id + ' in this sandbox. List them: GET ' + apiUrl + '/v1/' + list
      : 'The API answers ' + status + ' for ' + id + ': ' + complaintIn(body)
  return { ok: false, error: sentence }
}

async function toldAbout(
  sources: StorySources,
  id: string,
): Promise<Result<Pick<BatchStory, 'events' | 'deliveries'>, string>> {
  const path = '/v1/events?order=asc&resource_id=' + id
  const events = await readPages<EventEnvelope<object>>(sources, path)
  if (!events.ok) return events
  const ids = events.value.map((event) => event.id)
  const deliveries = await fromDatabase(sources, async (url) => readDeliveries(url, ids))
  return { ok: true, value: { events: events.value, deliveries } }
}

/** Rows beside the service, or a sentence about their absence. */
export async function fromDatabase<Value>(
  { databaseUrl }: StorySources,
  readRows: (url: string) => Promise<Result<Value, string>>,
): Promise<Value | string> {
  if (databaseUrl === null) return UNKNOWN
  const rows = await readRows(databaseUrl)
  return rows.ok ? rows.value : rows.error
}
