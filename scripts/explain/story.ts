// Everything there is to know about one transaction: itself and its events from the API, its entries from the journal.
import type { Result } from '../../shared/result.ts'
import type { CardTransaction } from '../../shared/schemas/card-transaction.ts'
import type { EventEnvelope } from '../../shared/schemas/event.ts'
import { findJournalEntries, type JournalEntry } from './journal-entries.ts'

const ANSWER_MS_MAX = 10_000
const EVENTS_MAX = 100

export interface TransactionStory {
  transaction: CardTransaction
  /** From the journal's files; the sentence where they cannot be read. */
  journal: JournalEntry[] | string
  /** Oldest first; only of events that reached the outbox already. */
  events: EventEnvelope[]
}

export interface StorySources {
  apiUrl: string
  /** An API key that may read. */
  key: string
  dataDir: string
}

/** The story, or the sentence that says why there is none. */
export async function readTransactionStory(
  { apiUrl, key, dataDir }: StorySources,
  id: string,
): Promise<Result<TransactionStory, string>> {
  const name = encodeURIComponent(id)
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
  const events = await read(apiUrl + '/v1/events?limit=' + EVENTS_MAX + '&resource_id=' + name, key)
  if (!events.ok) return events
  const entries = await findJournalEntries(dataDir, body.id)
  return {
    ok: true,
    value: {
      transaction: body,
      journal: entries.ok ? entries.value : entries.error,
      events: itemsOf(events.value.body).reverse(),
    },
  }
}

interface Answer {
  status: number
  body: unknown
}

async function read(url: string, key: string): Promise<Result<Answer, string>> {
  try {
    const response = await fetch(url, {
      headers: { authorization: 'Bearer ' + key },
      signal: AbortSignal.timeout(ANSWER_MS_MAX),
    })
    return { ok: true, value: { status: response.status, body: await response.json() } }
  } catch {
    return {
      ok: false,
      error: 'The API does not answer at ' + new URL(url).origin + ': is npm start running?',
    }
  }
}

function isTransaction(body: unknown): body is CardTransaction {
  return (
    typeof body === 'object' &&
    body !== null &&
    'object' in body &&
    body.object === 'card_transaction'
  )
}

function itemsOf(body: unknown): EventEnvelope[] {
  const list = typeof body === 'object' && body !== null && 'data' in body ? body.data : []
  return Array.isArray(list) ? (list as EventEnvelope[]) : []
}

function complaintIn(body: unknown): string {
  const error = typeof body === 'object' && body !== null && 'error' in body ? body.error : null
  if (typeof error !== 'object' || error === null || !('message' in error)) return 'no reason given'
  return String(error.message)
}
