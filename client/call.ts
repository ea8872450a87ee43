// One call of the API: its request, and its retry where a retry is safe and may help.
import { randomInt, randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { SvcConnectionError, SvcError } from './errors.ts'

export interface ClientOptions {
  /** Base URL of the API, for example `https://api.example`. */
  baseUrl: string
  /** An API key, or an access token. */
  key: string
  /** Milliseconds after which an attempt is given up; default 30,000. */
  timeoutMs?: number
  /** Retries per call at most; default 3. */
  retriesMax?: number
  /**
   * The longest wait before a retry in milliseconds; if the API asks for more, the client throws
   * its refusal.
   */
  retryWaitMsMax?: number
  /** Asks for answers in this version instead of the pinned one. */
  version?: string
  /** Replaces the global fetch. */
  fetch?: typeof fetch
}

const TIMEOUT_MS = 30_000
const RETRIES_MAX = 3
const RETRY_WAIT_MS_MAX = 60_000
const FIRST_WAIT_MS = 200

export interface CallOptions {
  /**
   * Idempotency key of a write: a repeated call under it is carried out once. Random unless given.
   */
  idempotencyKey?: string
  /** Proof of a fresh second factor for exactly this call. */
  factor?: string
  version?: string
  timeoutMs?: number
  /** Ends the call and the waits between attempts. */
  signal?: AbortSignal
}

export interface Operation {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** Path with `{id}` in place of an input. */
  readonly path: string
  /** Kind of file that the operation returns instead of JSON. */
  readonly file?: FileKind
}

/** `stream`: the answer goes on, and its bytes are the caller's to read. */
type FileKind = 'text' | 'bytes' | 'stream'

export type Caller = (operation: Operation, input: object, options: CallOptions) => Promise<unknown>

export function createCaller(options: ClientOptions): Caller {
  const { retriesMax = RETRIES_MAX, retryWaitMsMax = RETRY_WAIT_MS_MAX } = options
  const base = options.baseUrl.replace(/\/+$/, '')
  return async (operation, input, own) => {
    const request = requestOf(operation, { ...input }, own, options)
    for (let attempt = 0; ; attempt++) {
      const outcome = await attemptOnce(base + request.target, request, own, options)
      if (!(outcome instanceof Error)) return outcome.body
      const waitMs = waitBefore(attempt, outcome)
      if (attempt >= retriesMax || waitMs === null || waitMs > retryWaitMsMax) throw outcome
      await sleep(waitMs, undefined, own.signal === undefined ? {} : { signal: own.signal })
    }
  }
}

interface Request {
  method: string
  /** Path and query. */
  target: string
  headers: { [name: string]: string }
  body: string | null
  file: FileKind | null
}

function requestOf(
  { method, path, file: answered }: Operation,
  input: { [field: string]: unknown },
  own: CallOptions,
  options: ClientOptions,
): Request {
  const file = answered ?? null
  const target = path.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = input[name]
    delete input[name]
    if (typeof value !== 'string' || value === '') throw new TypeError(name + ' must be an id')
    return encodeURIComponent(value)
  })
  const headers: { [name: string]: string } = {
    authorization: 'Bearer ' + options.key,
    accept: file === null ? 'application/json' : '*/*',
  }
  const version = own.version ?? options.version
  if (version !== undefined) headers['svc-version'] = version
  if (own.factor !== undefined) headers['svc-factor'] = own.factor
  if (method !== 'GET') headers['idempotency-key'] = own.idempotencyKey ?? randomUUID()
  if (method === 'GET' || method === 'DELETE')
    return { method, target: target + queryOf(input), headers, body: null, file }
  headers['content-type'] = 'application/json'
  return { method, target, headers, body: JSON.stringify(input), file }
}

function queryOf(input: { readonly [name: string]: unknown }): string {
  const given = Object.entries(input).filter(([, value]) => value !== undefined)
  if (given.length === 0) return ''
  return (
    '?' +
    new URLSearchParams(
      given.map(([name, value]): [string, string] => [name, String(value)]),
    ).toString()
  )
}

async function attemptOnce(
  url: string,
  { method, headers, body, file }: Request,
  own: CallOptions,
  options: ClientOptions,
): Promise<{ body: unknown } | Error> {
  const late = new AbortController()
  const timer = setTimeout(() => late.abort(), own.timeoutMs ?? options.timeoutMs ?? TIMEOUT_MS)
  const signal = own.signal === undefined ? late.signal : AbortSignal.any([late.signal, own.signal])
  try {
    const response = await (options.fetch ?? fetch)(url, {
      method,
      headers,
      body,
      signal,
      redirect: 'error',
    })
    if (response.ok) return { body: await bodyOf(response, file) }
    return new SvcError(response.status, response.headers, parsed(await response.text()))
  } catch (cause) {
    // A caller that aborted gets its own reason; any other failure may be retried.
    own.signal?.throwIfAborted()
    return new SvcConnectionError('The API did not answer: ' + reasonOf(cause), { cause })
  } finally {
    // A stream goes on after this.
    clearTimeout(timer)
  }
}

/** With the reason that `fetch` keeps behind its own words, such as ECONNREFUSED. */
function reasonOf(error: unknown): string {
  const inner = error instanceof Error ? error.cause : null
  if (!(inner instanceof Error)) return String(error)
  return String(error) + ': ' + (inner.message || String(Reflect.get(inner, 'code')))
}

async function bodyOf(response: Response, file: FileKind | null): Promise<unknown> {
  if (file === 'stream') return response.body
  if (file === 'bytes') return new Uint8Array(await response.arrayBuffer())
  const text = await response.text()
  return file === 'text' ? text : parsed(text)
}

/** An answer that is not JSON is not ours; a proxy's page, for example. */
function parsed(text: string): unknown {
  if (text === '') return null
  try {
    return JSON.parse(text)
  } catch {
    // The status says enough.
    return null
  }
}

/**
 * Milliseconds to wait before the attempt after this one, or null where repeating does not help.
 */
function waitBefore(attempt: number, failure: Error): number | null {
  const ownMs = FIRST_WAIT_MS * 2 ** attempt
  const jittered = ownMs + randomInt(ownMs)
  if (failure instanceof SvcConnectionError) return jittered
  if (!(failure instanceof SvcError)) return null
  const { status, code, retryAfterMs } = failure
  const again = status === 429 || status === 503 || code === 'idempotency_key_in_use'
  // The client never retries before the API allows it, and a little later, because all clients
  // would return at once.
  return again ? (retryAfterMs === null ? jittered : retryAfterMs + randomInt(FIRST_WAIT_MS)) : null
}
