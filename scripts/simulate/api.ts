// The REST API as the simulator uses it: looks at what was recorded, and changes what a story needs changed.
import { Pool } from 'undici'
import { sleep } from '../../shared/clock.ts'
import type { Limit } from '../../shared/schemas/card.ts'
import type { Sandbox } from './sandbox.ts'

const CONNECTIONS = 8
const CALL_MS_MAX = 10_000
/** A change that the engine does not have in time answers 503 and may be repeated. Design 3. */
const WRITE_ATTEMPTS_MAX = 3
/** The journal reaches the database within milliseconds; an api that is being restarted needs longer. */
const RECORDED_MS_MAX = 10_000
const LOOK_AGAIN_MS = 20

export type Document = { readonly [name: string]: unknown }
export type LimitInput = Pick<Limit, 'interval' | 'amount_cents' | 'currency' | 'time_zone'>

export interface Api {
  /** The card as it is now. */
  card(id: string): Promise<Document>
  cardholder(id: string): Promise<Document>
  /** The transaction once it is recorded and `until` holds; what it was last where that does not happen in time. */
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
  call(method: Method, path: string, body?: Document): Promise<ApiAnswer>
  /** Any call of an operator of the installation. */
  operate(method: Method, path: string, body?: Document): Promise<ApiAnswer>
  /** What an authorization would get now. */
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
  const read = async (path: string): Promise<Document> => expect200(await call('GET', path), path)
  const write = async (method: Method, path: string, body?: Document): Promise<void> => {
    for (let attempt = 1; ; attempt++) {
      const answer = await call(method, path, body)
      if (answer.status === 503 && attempt < WRITE_ATTEMPTS_MAX) continue
      expect200(answer, method + ' ' + path)
      return
    }
  }
  return {
    card: (id) => read('/v1/cards/' + id),
    cardholder: (id) => read('/v1/cardholders/' + id),
    transaction: (id, until = () => true) => recorded(call, id, until),
    events: async (resourceId) => {
      const page = await read('/v1/events?limit=100&resource_id=' + resourceId)
      return Array.isArray(page['data']) ? page['data'] : []
    },
    suspend: (id) => write('POST', '/v1/cards/' + id + '/suspend', { reason: 'simulated' }),
    // Stories about fraud rules resume what one stopped.
    resume: (id) => write('POST', '/v1/cards/' + id + '/resume', { acknowledge_fraud: true }),
    freeze: (id) => write('POST', '/v1/cardholders/' + id + '/freeze', { reason: 'simulated' }),
    unfreeze: (id) => write('POST', '/v1/cardholders/' + id + '/unfreeze'),
    replaceLimits: (id, limits) => write('PUT', '/v1/cards/' + id + '/limits', { limits }),
    call,
    operate,
    moveEndpoint: (id, url) => write('PATCH', '/v1/webhook_endpoints/' + id, { url }),
    async evaluate(id, authorization) {
      const path = '/v1/cards/' + id + '/evaluate'
      for (let waitedMs = 0; ; waitedMs += LOOK_AGAIN_MS) {
        const answer = await call('POST', path, authorization)
        // 503 while an engine that was restarted is not known to the api yet.
        if (answer.status !== 503 || waitedMs > RECORDED_MS_MAX) return expect200(answer, path)
        await sleep(LOOK_AGAIN_MS)
      }
    },
    close: () => pool.close(),
  }
}

type Method = 'GET' | 'POST' | 'PUT' | 'PATCH'
type Call = (method: Method, path: string, body?: Document) => Promise<ApiAnswer>

export interface ApiAnswer {
  status: number
  /** The body; null where it is not an object. */
  document: Document | null
  text: string
}

function caller(pool: Pool, keyFor: (method: Method) => string): Call {
  return async (method, path, body) => {
    const response = await pool.request({
      method,
      path,
      headers: {
        authorization: 'Bearer ' + keyFor(method),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      body: body === undefined ? null : JSON.stringify(body),
      headersTimeout: CALL_MS_MAX,
      bodyTimeout: CALL_MS_MAX,
    })
    const text = await response.body.text()
    return { status: response.statusCode, document: documentIn(text), text }
  }
}

function expect200(answer: ApiAnswer, call: string): Document {
  if (answer.status === 200 && answer.document !== null) return answer.document
  throw new Error(
    'the API answered ' + answer.status + ' to ' + call + ': ' + answer.text.slice(0, 300),
  )
}

/** Asks again until the drain has brought it, or until the time is up. */
async function recorded(
  call: Call,
  id: string,
  until: (transaction: Document) => boolean,
): Promise<Document | null> {
  let latest: Document | null = null
  for (let waitedMs = 0; waitedMs <= RECORDED_MS_MAX; waitedMs += LOOK_AGAIN_MS) {
    const answer = await call('GET', '/v1/card_transactions/' + id)
    if (answer.status === 200) latest = answer.document
    else if (answer.status !== 404) expect200(answer, 'GET /v1/card_transactions/' + id)
    if (latest !== null && until(latest)) return latest
    await sleep(LOOK_AGAIN_MS)
  }
  return latest
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
