// The REST API as the simulator uses it: reads the recorded transactions, and makes the changes
// that a story needs.
import { randomUUID } from 'node:crypto'
import { Pool } from 'undici'
import { type Client, createClient, SvcError } from '../../client/index.ts'
import { sleep } from '../../shared/clock.ts'
import type { Limit } from '../../shared/schemas/card.ts'
import { repeatBusy } from '../repeat-busy.ts'
import type { Sandbox } from './sandbox.ts'

const CONNECTIONS = 8
const CALL_MS_MAX = 30_000
/**
 * The journal reaches the database within milliseconds; an api that is being restarted needs
 * longer.
 */
const RECORDED_MS_MAX = 60_000
/** Ten looks a second leave the tenant's limit of reads to the rest of a story. */
const LOOK_AGAIN_MS = 100
const PATIENCE = { repeatsMax: 5, firstMs: 250 }

export type Document = { readonly [name: string]: unknown }
export type LimitInput = Pick<Limit, 'interval' | 'amount_cents' | 'currency' | 'time_zone'>

export interface Api {
  /** The card as it is now. */
  card(id: string): Promise<Document>
  cardholder(id: string): Promise<Document>
  /**
   * Returns the transaction once it is recorded and `until` holds; after the time limit its latest
   * state.
   */
  transaction(id: string, until?: (transaction: Document) => boolean): Promise<Document | null>
  /** Every event about a resource, newest first. */
  events(resourceId: string): Promise<Document[]>
  suspend(cardId: string): Promise<void>
  resume(cardId: string): Promise<void>
  freeze(cardholderId: string): Promise<void>
  unfreeze(cardholderId: string): Promise<void>
  replaceLimits(cardId: string, limits: readonly LimitInput[]): Promise<void>
  moveEndpoint(endpointId: string, url: string): Promise<void>
  /** Any call of the tenant, with whatever it is answered. */
  call(method: Method, path: string, body?: Document, headers?: Headers): Promise<ApiAnswer>
  /** Any call of an operator of the installation. */
  operate(method: Method, path: string, body?: Document): Promise<ApiAnswer>
  /** Returns the answer that an authorization would get now. */
  evaluate(cardId: string, authorization: Document): Promise<Document>
  close(): Promise<void>
}

export function openApi(sandbox: Pick<Sandbox, 'api_url' | 'keys' | 'operator_key'>): Api {
  const pool = new Pool(sandbox.api_url, { connections: CONNECTIONS, allowH2: false })
  const { keys } = sandbox
  const call = caller(pool, (method) => (method === 'GET' ? keys.read : keys.write))
  const operate = caller(pool, () => {
    if (sandbox.operator_key === undefined) throw new Error('the sandbox has no operator')
    return sandbox.operator_key
  })
  const clientOf = (key: string) =>
    createClient({ baseUrl: sandbox.api_url, key, timeoutMs: CALL_MS_MAX })
  const [reader, writer] = [clientOf(keys.read), clientOf(keys.write)]
  return {
    card: async (id) => ({ ...(await reader.getCard({ id })) }),
    cardholder: async (id) => ({ ...(await reader.getCardholder({ id })) }),
    transaction: (id, until = () => true) => recorded(reader, id, until),
    events: async (resourceId) => {
      const { data } = await reader.listEvents({ limit: 100, resource_id: resourceId })
      return data.map((event) => ({ ...event }))
    },
    suspend: (id) => done(writer.suspendCard({ id, reason: 'simulated' })),
    // Stories about fraud rules resume a card that a rule stopped.
    resume: (id) => done(writer.resumeCard({ id, acknowledge_fraud: true })),
    freeze: (id) => done(writer.freezeCardholder({ id, reason: 'simulated' })),
    unfreeze: (id) => done(writer.unfreezeCardholder({ id })),
    replaceLimits: (id, limits) =>
      done(writer.replaceCardLimits({ id, limits: limits as LimitsSent })),
    call,
    operate,
    moveEndpoint: (id, url) => done(writer.updateWebhookEndpoint({ id, url })),
    async evaluate(id, authorization) {
      const path = '/v1/cards/' + id + '/evaluate'
      return expect200(await call('POST', path, authorization), path)
    },
    close: () => pool.close(),
  }
}

type Method = 'GET' | 'POST' | 'PUT' | 'PATCH'
type Headers = { readonly [name: string]: string }
type Call = Api['call']

export interface ApiAnswer {
  status: number
  headers: { get(name: string): string | null }
  /** The body; null where it is not an object. */
  document: Document | null
  text: string
}

/** A call that the service was too busy for is repeated under its key, as the API says. */
function caller(pool: Pool, keyFor: (method: Method) => string): Call {
  return async (method, path, body, headers = {}) => {
    const keyed = method === 'GET' ? {} : { 'idempotency-key': randomUUID() }
    const sent = { authorization: 'Bearer ' + keyFor(method), ...keyed, ...headers }
    return repeatBusy(() => request(pool, { method, path, body, headers: sent }), PATIENCE)
  }
}

interface Sent {
  method: Method
  path: string
  body: Document | undefined
  headers: Headers
}

async function request(pool: Pool, { method, path, body, headers }: Sent): Promise<ApiAnswer> {
  const response = await pool.request({
    ...{ method, path },
    headers: { ...headers, ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
    body: body === undefined ? null : JSON.stringify(body),
    ...{ headersTimeout: CALL_MS_MAX, bodyTimeout: CALL_MS_MAX },
  })
  const text = await response.body.text()
  const said = { get: (name: string) => [response.headers[name]].flat()[0] ?? null }
  return { status: response.statusCode, headers: said, document: documentIn(text), text }
}

function expect200(answer: ApiAnswer, call: string): Document {
  if (answer.status === 200 && answer.document !== null) return answer.document
  throw new Error(
    'the API answered ' + answer.status + ' to ' + call + ': ' + answer.text.slice(0, 300),
  )
}

type LimitsSent = Parameters<Client['replaceCardLimits']>[0]['limits']

async function done(call: Promise<unknown>): Promise<void> {
  await call
}

/** Asks again until the drain has brought it, or until the time is up. */
async function recorded(
  reader: Client,
  id: string,
  until: (transaction: Document) => boolean,
): Promise<Document | null> {
  let latest: Document | null = null
  for (let waitedMs = 0; waitedMs <= RECORDED_MS_MAX; waitedMs += LOOK_AGAIN_MS) {
    latest = (await transactionNow(reader, id)) ?? latest
    if (latest !== null && until(latest)) return latest
    await sleep(LOOK_AGAIN_MS)
  }
  return latest
}

/** Null while it is not recorded. */
async function transactionNow(reader: Client, id: string): Promise<Document | null> {
  try {
    return { ...(await reader.getCardTransaction({ id })) }
  } catch (error) {
    if (error instanceof SvcError && error.status === 404) return null
    throw error
  }
}

function documentIn(text: string): Document | null {
  try {
    const document: unknown = JSON.parse(text)
    return isDocument(document) ? document : null
  } catch {
    // Not JSON; the caller reports the text itself.
    return null
  }
}

export function isDocument(value: unknown): value is Document {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** The value at a path of names, or undefined where the path ends early. */
export function valueAt(document: unknown, ...path: readonly string[]): unknown {
  let value = document
  for (const name of path) {
    if (!isDocument(value)) return undefined
    value = value[name]
  }
  return value
}
