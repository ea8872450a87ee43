// One request of a certification and its reply, to vetted addresses only, within the budget of a
// real authorization request. Every failure is a value.
import { Readable } from 'node:stream'
import type { Dispatcher } from 'undici'
import type { Cidr } from '../../../../shared/address.ts'
import type { AddressBook } from '../../../../shared/address-book.ts'
import type { Clock } from '../../../../shared/clock.ts'
import { TENANT_REPLY_BYTES_MAX } from '../../../../shared/limits.ts'
import { RequestAgent } from '../../../http/request-agent.ts'
import { vettedConnector } from '../../../http/vetted-connector.ts'
import type { ProbeRequest } from './signed-request.ts'

export interface ProbeReply {
  /** Null without a reply. */
  status: number | null
  /** Up to TENANT_REPLY_BYTES_MAX of the reply. */
  body: string
  /** From the first byte sent to the last one received. */
  latencyMs: number
  /** The problem in a word; null for a whole reply. */
  problem: string | null
}

export interface Caller {
  call(url: URL, request: ProbeRequest): Promise<ProbeReply>
  /** Connections opened so far. */
  readonly connections: number
  close(): Promise<void>
}

export interface CallerOptions {
  addresses: AddressBook
  opened: readonly Cidr[]
  clock: Clock
  budgetMs: number
  /** Connections at a time. */
  connectionsMax: number
}

/** Opens connections of its own, kept alive like the engine's. */
export function openCaller(options: CallerOptions): Caller {
  const { addresses, opened, clock, budgetMs } = options
  const connect = vettedConnector({ addresses, opened, timeoutMs: budgetMs })
  let connections = 0
  const agent = new RequestAgent({
    connect(target, give) {
      connections += 1
      connect(target, give)
    },
    allowH2: false,
    connections: options.connectionsMax,
    pipelining: 1,
    keepAliveTimeout: 4000,
    keepAliveMaxTimeout: 60_000,
    // Backstops only: the signal below is the budget.
    headersTimeout: budgetMs + 1000,
    bodyTimeout: budgetMs + 1000,
  })
  return {
    async call(url, request) {
      const first = await callOnce(agent, clock, budgetMs, { url, request })
      // If the other side had closed a kept connection, the request is sent once more, like a real
      // one.
      return first.problem === 'reset' ? callOnce(agent, clock, budgetMs, { url, request }) : first
    },
    get connections() {
      return connections
    },
    close: () => agent.destroy(),
  }
}

async function callOnce(
  agent: RequestAgent,
  clock: Clock,
  budgetMs: number,
  { url, request }: { url: URL; request: ProbeRequest },
): Promise<ProbeReply> {
  const startedNs = clock.monotonicNs()
  const budget = new AbortController()
  const timer = clock.after(budgetMs, () => budget.abort())
  const ended = (known: Partial<ProbeReply>): ProbeReply => ({
    status: null,
    body: '',
    problem: null,
    ...known,
    latencyMs: Math.round((clock.monotonicNs() - startedNs) / 1e6),
  })
  let status: number | null = null
  try {
    const response = await agent.request({
      origin: url.origin,
      path: url.pathname + url.search,
      method: request.method,
      headers: { ...request.headers, ...lengthOf(request) },
      body: request.method === 'POST' ? bodyOf(request, clock) : null,
      signal: budget.signal,
    })
    status = response.statusCode
    return ended({ status, body: await wholeBody(response.body) })
  } catch (error) {
    return ended({ status, problem: budget.signal.aborted ? 'timeout' : problemOf(error) })
  } finally {
    timer.cancel()
  }
}

function lengthOf({ method, body }: ProbeRequest): Record<string, string> {
  return method === 'POST' ? { 'content-length': String(Buffer.byteLength(body)) } : {}
}

function bodyOf(request: ProbeRequest, clock: Clock): string | Readable {
  return request.pieces === 1 ? request.body : Readable.from(dripped(request, clock))
}

async function* dripped(
  { body, pieces, pauseMs }: ProbeRequest,
  clock: Clock,
): AsyncIterable<Buffer> {
  const bytes = Buffer.from(body)
  const size = Math.ceil(bytes.length / pieces)
  for (let from = 0; from < bytes.length; from += size) {
    await new Promise<void>((resolve) => clock.after(pauseMs, resolve))
    yield bytes.subarray(from, from + size)
  }
}

async function wholeBody(stream: Dispatcher.ResponseData['body']): Promise<string> {
  const parts: Buffer[] = []
  let bytes = 0
  for await (const part of stream as AsyncIterable<Buffer>) {
    bytes += part.length
    // Leaving the loop destroys the stream and with it the connection.
    if (bytes > TENANT_REPLY_BYTES_MAX) throw new TooLarge()
    parts.push(part)
  }
  return Buffer.concat(parts).toString('utf8')
}

class TooLarge extends Error {
  readonly code = 'reply_too_large'
}

const RESETS: ReadonlySet<string> = new Set(['UND_ERR_SOCKET', 'ECONNRESET', 'EPIPE'])

/** A code, never a message: messages can contain the other side's data. */
function problemOf(error: unknown): string {
  if (error instanceof Error && 'problem' in error) return String(error.problem)
  const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown'
  return RESETS.has(code) ? 'reset' : code
}
