// The payment processor of the sandbox, as Stripe answers: forms in, JSON out, keys for repeats,
// signed callbacks, a portal for people. It is an outside party that knows the service only by its
// keys and the address of its callbacks.
import { createHash, timingSafeEqual } from 'node:crypto'
import type { Clock } from '../../shared/clock.ts'
import type { Logger } from '../../shared/log.ts'
import {
  type PeerAnswer,
  type PeerRequest,
  type PeerServer,
  startPeerServer,
} from '../peer-http.ts'
import { Callbacks } from './callbacks.ts'
import { Faults, type RequestFault } from './faults.ts'
import { type Form, parseForm } from './form.ts'
import { endProcessing, type InvoiceWorld, type ProcessingEnd, shown } from './invoices.ts'
import { invoicePage, portalPage } from './portal.ts'
import { invalid, Problem } from './problem.ts'
import { PEER_ROUTES, type PeerRoute } from './routes.ts'
import { PeerStore } from './store.ts'

export interface StripePeerOptions {
  /** 0: any free port. */
  port: number
  /** The credential of callers. */
  key: string
  /** Sign the callbacks; two while one replaces the other. */
  secrets: readonly string[]
  /** Null: callbacks are told to nobody. A function where the address may move. */
  callbackUrl: string | null | (() => string)
  /** File of the state; null: it ends with the process. */
  statePath: string | null
  clock: Clock
  log: Logger
  /** Factor of the delays between callbacks; default 1, less in tests. */
  pace?: number
}

/** A call of the API and its answer. */
export interface SeenCall {
  method: string
  path: string
  key: string | null
  status: number
}

export interface StripePeer extends PeerServer {
  readonly store: PeerStore
  readonly faults: Faults
  /** Calls in their order. */
  readonly calls: SeenCall[]
}

interface Parts {
  options: StripePeerOptions
  store: PeerStore
  faults: Faults
  callbacks: Callbacks
  calls: SeenCall[]
  /** Idempotency keys whose request is being answered. */
  running: Set<string>
  url: string
}

/** Listens on loopback; rejects if the port is taken. */
export async function startStripePeer(options: StripePeerOptions): Promise<StripePeer> {
  const { clock, log, callbackUrl, secrets, pace = 1 } = options
  const store = new PeerStore(clock, options.statePath)
  const faults = new Faults()
  const told = { store, faults, callbackUrl, secrets, clock, log, pace }
  const callbacks = new Callbacks(told)
  const parts: Parts = {
    ...{ options, store, faults, callbacks, calls: [], running: new Set(), url: '' },
  }
  const server = await startPeerServer(options.port, (request) => answer(parts, request))
  parts.url = server.url
  void callbacks.run()
  const close = (): Promise<void> => {
    callbacks.close()
    return server.close()
  }
  return { url: server.url, close, store, faults, calls: parts.calls }
}

async function answer(parts: Parts, request: PeerRequest): Promise<PeerAnswer> {
  const { method, url } = request
  const { pathname, search } = new URL(url, parts.url)
  try {
    if (/^\/(p|i)\//.test(pathname)) return pageAnswer(parts, request, pathname)
    if (!isAdmitted(parts, request)) return unknownKey()
    if (pathname.startsWith('/peer/')) return await control(parts, request, pathname)
    return await answerApi(parts, request, { pathname, search })
  } catch (error) {
    if (!(error instanceof Problem)) throw error
    return answerOf(error)
  } finally {
    if (method === 'POST') void parts.callbacks.run()
  }
}

function isAdmitted({ options }: Parts, { headers }: PeerRequest): boolean {
  const [given, known] = [headers.authorization ?? '', 'Bearer ' + options.key].map((text) =>
    createHash('sha256').update(text).digest(),
  )
  return given !== undefined && known !== undefined && timingSafeEqual(given, known)
}

function unknownKey(): PeerAnswer {
  const error = { type: 'invalid_request_error', message: 'Invalid API Key provided.' }
  return { status: 401, body: { error } }
}

function answerOf({ status, fields }: Problem): PeerAnswer {
  return { status, body: { error: fields } }
}

function worldOf(parts: Parts, key: string | null): InvoiceWorld {
  const { store, faults, callbacks, url } = parts
  return { store, faults, url, emit: (type, object) => callbacks.emit(type, object, key) }
}

const BEFORE: readonly RequestFault[] = [
  ...(['cut_before', 'hang', 'rate_limited', 'broken', 'redirect', 'html'] as const),
]

async function answerApi(
  parts: Parts,
  request: PeerRequest,
  { pathname, search }: { pathname: string; search: string },
): Promise<PeerAnswer> {
  const { faults, calls } = parts
  const { method, headers } = request
  const subject = method + ' ' + pathname
  const key = method === 'POST' ? (headers['idempotency-key']?.toString() ?? null) : null
  const fault = faults.take(BEFORE, subject)
  const given = fault === null ? await once(parts, request, { pathname, search, key }) : null
  const isCut = fault === null && faults.take(['cut_after'], subject) !== null
  const result = given ?? faultAnswer(fault?.kind as RequestFault)
  calls.push({ method, path: pathname, key, status: result.status })
  return isCut ? { ...result, ends: 'cut' } : result
}

function faultAnswer(kind: RequestFault): PeerAnswer {
  const error = (type: string) => ({ error: { type, message: 'Ordered fault.' } })
  if (kind === 'cut_before') return { status: 0, body: {}, ends: 'cut' }
  if (kind === 'hang') return { status: 0, body: {}, ends: 'hang' }
  if (kind === 'rate_limited')
    return { status: 429, body: error('rate_limit_error'), headers: { 'retry-after': '7' } }
  if (kind === 'redirect') return { status: 302, body: {}, headers: { location: '/elsewhere' } }
  if (kind === 'html') return { status: 200, body: '<html><body>Bad gateway' }
  return { status: 500, body: error('api_error') }
}

interface ApiCall {
  pathname: string
  search: string
  key: string | null
}

/** Answers a repeated key as the first time, for 24 hours. */
async function once(parts: Parts, request: PeerRequest, call: ApiCall): Promise<PeerAnswer> {
  const { store, running } = parts
  const { key, pathname } = call
  if (key === null) return work(parts, request, call)
  const digest = createHash('sha256')
    .update(pathname + '\n')
    .update(request.body ?? '')
    .digest('hex')
  const kept = store.kept(key)
  if (kept !== null && kept.request !== digest)
    throw new Problem(400, {
      type: 'idempotency_error',
      message: 'Keys for idempotent requests can only be used with the same parameters.',
    })
  if (kept !== null)
    return { status: kept.status, body: kept.body, headers: { 'idempotent-replayed': 'true' } }
  if (running.has(key))
    throw new Problem(409, {
      ...{ type: 'idempotency_error', code: 'idempotency_key_in_use' },
      message: 'There is currently another in-progress request using this key.',
    })
  running.add(key)
  try {
    await slowness(parts, request.method + ' ' + pathname)
    const { status, body } = await work(parts, request, call)
    store.keep({ key, request: digest, status, body: body as object, at: store.nowS })
    return { status, body }
  } catch (error) {
    if (error instanceof Problem && error.isKept) {
      const { status, body } = answerOf(error)
      store.keep({ key, request: digest, status, body: body as object, at: store.nowS })
    }
    throw error
  } finally {
    running.delete(key)
  }
}

async function slowness({ faults, options }: Parts, subject: string): Promise<void> {
  const slow = faults.take(['slow'], subject)
  if (slow === null) return
  await new Promise<void>((resolve) => void options.clock.after(slow.delay_ms ?? 100, resolve))
}

async function work(
  parts: Parts,
  { method, body }: PeerRequest,
  { pathname, search, key }: ApiCall,
): Promise<PeerAnswer> {
  const found = routeOf(method, pathname)
  if (found === null) {
    const message = 'Unrecognized request URL (' + method + ': ' + pathname + ').'
    throw new Problem(404, { type: 'invalid_request_error', message })
  }
  const form = parseForm(method === 'GET' ? search.slice(1) : (body?.toString('utf8') ?? ''))
  if (form === null) throw invalid('The form cannot be read.')
  return { status: 200, body: found.route.run({ world: worldOf(parts, key), id: found.id, form }) }
}

function routeOf(method: string, pathname: string): { route: PeerRoute; id: string } | null {
  for (const route of PEER_ROUTES) {
    const match = route.method === method ? route.pattern.exec(pathname) : null
    if (match !== null) return { route, id: match[1] ?? '' }
  }
  return null
}

/** Pages of people need no key: the secret in their address admits. */
function pageAnswer(parts: Parts, { method, body }: PeerRequest, pathname: string): PeerAnswer {
  const world = worldOf(parts, null)
  const form: Form | null = method === 'POST' ? parseForm(body?.toString('utf8') ?? '') : null
  const secret = /^\/p\/session\/(\w+)$/.exec(pathname)?.[1]
  if (secret !== undefined) return { status: 200, body: portalPage(world, secret, form) }
  const invoice = /^\/i\/(\w+)$/.exec(pathname)?.[1]
  if (invoice === undefined) return { status: 404, body: 'There is no such page.' }
  return { status: 200, body: invoicePage(world, invoice, method === 'POST') }
}

/** Clock and faults of the peer itself, and the money that moved. */
async function control(
  parts: Parts,
  { method, body }: PeerRequest,
  pathname: string,
): Promise<PeerAnswer> {
  const { store, faults, callbacks } = parts
  const given: unknown = method === 'POST' ? parsedIn(body) : null
  if (pathname === '/peer/clock') {
    const advance = (given as { advance_ms?: unknown } | null)?.advance_ms ?? 0
    if (!Number.isSafeInteger(advance) || Number(advance) < 0)
      throw invalid('Not a number of milliseconds', 'advance_ms')
    if (given !== null) store.advance(Number(advance))
    void callbacks.run()
    return { status: 200, body: { now_ms: store.nowMs } }
  }
  if (pathname === '/peer/faults') {
    if (method === 'DELETE') faults.clear()
    if (given !== null) faults.order(given)
    return { status: 200, body: { faults: faults.list() } }
  }
  if (pathname === '/peer/processing') {
    const ended = endProcessing(worldOf(parts, null), given as ProcessingEnd)
    return { status: 200, body: shown(ended) }
  }
  if (pathname === '/peer/charges') return { status: 200, body: { data: store.all('charge') } }
  return { status: 404, body: { error: 'no_such_path' } }
}

function parsedIn(body: Buffer | null): unknown {
  try {
    return JSON.parse(body?.toString('utf8') ?? '')
  } catch {
    throw invalid('The body is no JSON.')
  }
}
