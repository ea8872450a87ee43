// A reader of GET /v1/card_transactions/stream, for tests.
import type { FeedTick } from '../../shared/schemas/transaction-feed.ts'

interface Told {
  event: string
  id: string
  // biome-ignore lint/suspicious/noExplicitAny: tests read events of every kind.
  data: any
}

export interface Stream {
  status: number
  headers: Headers
  told: Told[]
  /** Text behind the last event; the body of a refusal. */
  rest: string
  ended: boolean
  /** Begins to read a stalled stream. */
  resume(): void
  close(): void
}

export interface StreamOptions {
  headers?: { [name: string]: string }
  /** Takes nothing until `resume`. */
  isStalled?: boolean
  /** Called with each event as it comes. */
  onEvent?: (told: Told) => void
}

/** Opens a stream over HTTP, and collects its events until it is closed or ends. */
export async function openStream(
  url: string,
  key: string,
  { headers = {}, isStalled = false, onEvent = () => {} }: StreamOptions = {},
): Promise<Stream> {
  const closing = new AbortController()
  const response = await fetch(url, {
    headers: { authorization: 'Bearer ' + key, ...headers },
    signal: closing.signal,
  })
  const stream: Stream = {
    status: response.status,
    headers: response.headers,
    told: [],
    rest: '',
    ended: false,
    resume: () => void collect(response, stream, onEvent),
    close: () => closing.abort(),
  }
  if (!isStalled) stream.resume()
  return stream
}

async function collect(
  { body }: Response,
  stream: Stream,
  onEvent: (told: Told) => void,
): Promise<void> {
  try {
    for await (const bytes of body ?? []) {
      const blocks = (stream.rest + Buffer.from(bytes).toString()).split('\n\n')
      stream.rest = blocks.pop() ?? ''
      for (const told of blocks.filter((block) => block !== ':').map(eventOf)) {
        stream.told.push(told)
        onEvent(told)
      }
    }
  } catch {
    // The test closed it.
  }
  stream.ended = true
}

function eventOf(block: string): Told {
  const field = (name: string): string =>
    new RegExp('^' + name + ': (.*)$', 'm').exec(block)?.[1] ?? ''
  return { event: field('event'), id: field('id'), data: JSON.parse(field('data') || 'null') }
}

/** The events with new transactions. */
export function ticksOf({ told }: Stream): FeedTick[] {
  return told.filter(({ event }) => event === 'transactions').map(({ data }) => data)
}

/** Transactions that were counted so far. */
export function total(stream: Stream): number {
  return ticksOf(stream).reduce((sum, { counts }) => sum + counts.transactions, 0)
}
