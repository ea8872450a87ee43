// The tenant of the real-time scenarios: a small HTTP server that verifies requests as a careful
// tenant would, and then behaves as the scenario wants, message by message.
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { type Clock, unixSeconds } from '../../shared/clock.ts'
import { AUTHORIZATION_REQUEST_TYPE } from '../../shared/event-catalog.ts'
import { AUTH_BUDGET_MS } from '../../shared/limits.ts'
import { verifySignature } from '../../shared/signature.ts'
import { isDocument, valueAt } from './api.ts'
import { approves, type Behaviour } from './behaviour.ts'

const HOST = '127.0.0.1'
const PATH = '/simulated-tenant'
const BODY_BYTES_MAX = 1024 * 1024
const ASKED_MS_MAX = 30_000
const PROBLEMS_MAX = 20

export interface Tenant {
  readonly url: string
  /** Sets the behaviour for this message; the default is an approval. */
  behave(messageId: string, behaviour: Behaviour): void
  /** How often it was asked about this message. */
  askedAbout(messageId: string): number
  /** Resolves when the tenant is asked about this message; rejects if no request comes. */
  whenAsked(messageId: string): Promise<void>
  /** Types of the ordinary webhooks about a resource that came and verified, each event once. */
  toldOf(resourceId: string): readonly string[]
  /** Returns the problems of the requests so far and empties the list. */
  takeProblems(): string[]
  close(): Promise<void>
}

export interface TenantOptions {
  secret: string
  clock: Clock
}

/** Listens on a free loopback port. */
export async function openTenant(options: TenantOptions): Promise<Tenant> {
  const requests = new Requests(options.clock)
  const closing = new AbortController()
  const server = createServer((request, response) => {
    void answer(options, requests, { request, response, closing: closing.signal })
  })
  const port = await listen(server)
  return {
    url: 'http://' + HOST + ':' + port + PATH,
    behave: (messageId, behaviour) => requests.behave(messageId, behaviour),
    askedAbout: (messageId) => requests.askedAbout(messageId),
    whenAsked: (messageId) => requests.whenAsked(messageId),
    toldOf: (resourceId) => requests.toldOf(resourceId),
    takeProblems: () => requests.takeProblems(),
    close: () =>
      new Promise((resolve) => {
        closing.abort()
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

function listen(server: Server): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen({ host: HOST, port: 0 }, () => {
      const address = server.address()
      resolve(typeof address === 'object' && address !== null ? address.port : 0)
    })
  })
}

/**
 * The replies that the scenario wants, and the requests that came. Lives as long as one run of the
 * simulator.
 */
class Requests {
  readonly #clock: Clock
  readonly #behaviours = new Map<string, Behaviour>()
  readonly #asked = new Map<string, number>()
  readonly #waiting = new Map<string, () => void>()
  /** By the id of the event. */
  readonly #told = new Map<string, { type: string; resourceId: unknown }>()
  #problems: string[] = []

  constructor(clock: Clock) {
    this.#clock = clock
  }

  behave(messageId: string, behaviour: Behaviour): void {
    this.#behaviours.set(messageId, behaviour)
  }

  behaviourFor(messageId: string): Behaviour {
    return this.#behaviours.get(messageId) ?? approves
  }

  ask(messageId: string): void {
    this.#asked.set(messageId, this.askedAbout(messageId) + 1)
    this.#waiting.get(messageId)?.()
    this.#waiting.delete(messageId)
  }

  askedAbout(messageId: string): number {
    return this.#asked.get(messageId) ?? 0
  }

  whenAsked(messageId: string): Promise<void> {
    if (this.askedAbout(messageId) > 0) return Promise.resolve()
    return new Promise((resolve, reject) => {
      const overdue = this.#clock.after(ASKED_MS_MAX, () => {
        this.#waiting.delete(messageId)
        reject(new Error('the tenant was not asked within ' + ASKED_MS_MAX + ' ms'))
      })
      this.#waiting.set(messageId, () => {
        overdue.cancel()
        resolve()
      })
    })
  }

  tell(event: unknown): void {
    const data = valueAt(event, 'data')
    const [resource] = isDocument(data) ? Object.values(data) : []
    const type = String(valueAt(event, 'type'))
    this.#told.set(String(valueAt(event, 'id')), { type, resourceId: valueAt(resource, 'id') })
  }

  toldOf(resourceId: string): string[] {
    const told = [...this.#told.values()].filter((event) => event.resourceId === resourceId)
    return told.map(({ type }) => type)
  }

  complain(problem: string): void {
    if (this.#problems.length < PROBLEMS_MAX) this.#problems.push('to the tenant: ' + problem)
  }

  takeProblems(): string[] {
    const problems = this.#problems
    this.#problems = []
    return problems
  }
}

interface Received {
  request: IncomingMessage
  response: ServerResponse
  closing: AbortSignal
}

async function answer(
  options: TenantOptions,
  requests: Requests,
  { request, response, closing }: Received,
): Promise<void> {
  const gone = new AbortController()
  response.once('close', () => gone.abort())
  // Some stories include a caller that hangs up in the middle of an answer.
  response.once('error', () => gone.abort())
  const body = await readBody(request)
  if (body === null) return
  const event = documentOf(body)
  const problem = requestProblem(options, request, body)
  if (problem !== null) requests.complain(problem)
  if (valueAt(event, 'type') !== AUTHORIZATION_REQUEST_TYPE) {
    // The endpoint also receives ordinary webhooks.
    if (problem === null) requests.tell(event)
    response.writeHead(200).end()
    return
  }
  const shape = envelopeProblem(request, event)
  if (shape !== null) requests.complain(shape)
  const messageId = String(valueAt(event, 'data', 'transaction', 'message', 'id'))
  requests.ask(messageId)
  const signal = AbortSignal.any([gone.signal, closing])
  await requests.behaviourFor(messageId)({ request, response, gone: signal })
}

function requestProblem(
  { secret, clock }: TenantOptions,
  request: IncomingMessage,
  body: Buffer,
): string | null {
  if (request.method !== 'POST') return 'the request came as ' + request.method
  const header = request.headers['svc-signature']
  if (typeof header !== 'string') return 'the request has no Svc-Signature'
  return verifySignature({ header, body, secrets: [secret], nowS: unixSeconds(clock.nowMs()) })
}

function envelopeProblem(request: IncomingMessage, event: unknown): string | null {
  const leftMs = Number(request.headers['svc-deadline-ms'])
  if (!(leftMs > 0 && leftMs <= AUTH_BUDGET_MS)) return 'Svc-Deadline-Ms is not within the budget'
  if (typeof valueAt(event, 'id') !== 'string') return 'the request has no id'
  if (typeof valueAt(event, 'api_version') !== 'string') return 'the request has no api_version'
  const transaction = valueAt(event, 'data', 'transaction')
  if (!isDocument(transaction)) return 'the request has no data.transaction'
  if (transaction['status'] !== 'pending') return 'the transaction asked about is not pending'
  return valueAt(transaction, 'authorization_request', 'id') === valueAt(event, 'id')
    ? null
    : 'the id of the request is not the one of its authorization request'
}

async function readBody(request: IncomingMessage): Promise<Buffer | null> {
  const chunks: Buffer[] = []
  let bytes = 0
  try {
    for await (const chunk of request) {
      bytes += chunk.length
      if (bytes > BODY_BYTES_MAX) return null
      chunks.push(chunk)
    }
  } catch {
    // The caller went away before it had asked.
    return null
  }
  return Buffer.concat(chunks)
}

function documentOf(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString())
  } catch {
    // Not JSON: the envelope check complains about every field.
    return null
  }
}
