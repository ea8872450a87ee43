// All data about one transaction: itself, its messages and its events from the API, its entries
// from the journal, its webhooks from the database.
import { sleep } from '../../shared/clock.ts'
import type { Result } from '../../shared/result.ts'
import type { CardTransaction } from '../../shared/schemas/card-transaction.ts'
import type { CardTransactionMessage } from '../../shared/schemas/card-transaction-message.ts'
import type { EventEnvelope } from '../../shared/schemas/event.ts'
import { type Delivery, readDeliveries } from './deliveries.ts'
import { findJournalEntries, type JournalEntry } from './journal-entries.ts'
import { complaintIn, isPage, read, readPages } from './read-api.ts'

/** Stands for the id of the newest transaction. */
const LATEST = 'latest'
/** The journal reaches the database within milliseconds. */
const DRAINED_MS = 300

/** An event of a transaction. */
export type TransactionEvent = EventEnvelope<{ transaction: CardTransaction }>

export interface TransactionStory {
  transaction: CardTransaction
  /** Oldest first. */
  messages: CardTransactionMessage[]
  /** From the journal's files; a sentence if they cannot be read. */
  journal: JournalEntry[] | string
  /** Oldest first. */
  events: TransactionEvent[]
  /** A sentence if they cannot be read. */
  deliveries: Delivery[] | string
}

export interface StorySources {
  apiUrl: string
  /** An API key with permission to read. */
  key: string
  dataDir: string
  /** Null if no database is known. */
  databaseUrl: string | null
}

/** Returns the transaction's data, or a sentence that gives the reason for its absence. */
export async function readTransactionStory(
  sources: StorySources,
  id: string,
): Promise<Result<TransactionStory, string>> {
  const { apiUrl, key, dataDir } = sources
  const named = id === LATEST ? await latestOf(sources) : { ok: true as const, value: id }
  if (!named.ok) return named
  const name = encodeURIComponent(named.value)
  const transaction = await read(apiUrl + '/v1/card_transactions/' + name, key)
  if (!transaction.ok) return transaction
  const { status, body } = transaction.value
  if (status === 404) {
    return {
      ok: false,
      error:
        'No transaction ' +
        id +
        ' in this sandbox. List them: GET ' +
        apiUrl +
        '/v1/card_transactions',
    }
  }
  if (status !== 200 || !isTransaction(body)) {
    return {
      ok: false,
      error: 'The API answers ' + status + ' for ' + id + ': ' + complaintIn(body),
    }
  }
  const path = '/v1/card_transactions/' + name + '/messages?order=asc'
  const messages = await readPages<CardTransactionMessage>(sources, path)
  if (!messages.ok) return messages
  const told = '/v1/events?order=asc&resource_id=' + name
  const events = await readPages<TransactionEvent>(sources, told)
  if (!events.ok) return events
  const entries = await findJournalEntries(dataDir, body.id)
  return {
    ok: true,
    value: {
      transaction: body,
      messages: messages.value,
      journal: entries.ok ? entries.value : entries.error,
      events: events.value,
      deliveries: await deliveriesOf(sources, events.value),
    },
  }
}

/** The id of the newest transaction, after a moment in which a decision just made is recorded. */
async function latestOf({ apiUrl, key }: StorySources): Promise<Result<string, string>> {
  await sleep(DRAINED_MS)
  const answer = await read(apiUrl + '/v1/card_transactions?limit=1', key)
  if (!answer.ok) return answer
  const { status, body } = answer.value
  if (status !== 200 || !isPage<{ id: string }>(body))
    return { ok: false, error: 'The API answers ' + status + ': ' + complaintIn(body) }
  const [latest] = body.data
  return latest === undefined
    ? { ok: false, error: 'This sandbox has no transaction yet.' }
    : { ok: true, value: latest.id }
}

async function deliveriesOf(
  { databaseUrl }: StorySources,
  events: readonly TransactionEvent[],
): Promise<Delivery[] | string> {
  if (databaseUrl === null) return 'deliveries unknown: no database is known here'
  const ids = events.map((event) => event.id)
  const deliveries = await readDeliveries(databaseUrl, ids)
  return deliveries.ok ? deliveries.value : deliveries.error
}

function isTransaction(body: unknown): body is CardTransaction {
  return (
    typeof body === 'object' &&
    body !== null &&
    'object' in body &&
    body.object === 'card_transaction'
  )
}
