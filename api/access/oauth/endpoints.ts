// One call of an OAuth endpoint: everything that the library writes is one transaction, which rolls
// back with an answer of status 500.
import type { FastifyRequest } from 'fastify'
import type { Provider } from 'oidc-provider'
import { apiKeyHash, newOauthText } from '../../../shared/api-key.ts'
import { type OauthKeys, openOauthKeys } from '../../database/derivation.ts'
import { type TxSql, tx } from '../../database/transaction.ts'
import type { HttpServices } from '../../http/services.ts'
import { KeyedSemaphore } from '../../write/keyed-semaphore.ts'
import { type Endpoint, type OauthCall, type ShownError, withinCall } from './call.ts'
import { exchange, type LibraryAnswer, passedHeaders } from './exchange.ts'
import { oauthError } from './fill-in.ts'
import { findToken, isWithinLeeway } from './store.ts'

/**
 * Chosen: calls with one code or token that are in the database at once. The others wait without a
 * connection, therefore a client that repeats a call in a loop does not stop its neighbors.
 */
const SAME_TOKEN_MAX = 2
const SAME_TOKEN_WAIT_MS = 10_000

interface Library {
  provider: Provider
  keys: OauthKeys
}

export interface Asked {
  endpoint: Endpoint
  method: string
  url: string
  /** Null without a body. */
  form: URLSearchParams | null
}

export interface Given {
  answer: LibraryAnswer
  /** An error for a page of ours. */
  shownError: ShownError | null
}

/** Work before the library: a form to go on with, or the answer. */
type Before = (sql: TxSql, asked: Asked) => Promise<Asked | LibraryAnswer>

export class OauthEndpoints {
  readonly #services: HttpServices
  readonly #turns = new KeyedSemaphore()
  #library: Promise<Library> | null = null

  constructor(services: HttpServices) {
    this.#services = services
  }

  /** Base of every address of OAuth, without a slash at its end. */
  get issuer(): string {
    const { authUrl, publicUrl } = this.#services
    return (authUrl ?? publicUrl).replace(/\/+$/, '')
  }

  /** Made at the first call: its keys are in the database. */
  async library(): Promise<Library> {
    this.#library ??= this.#load()
    try {
      return await this.#library
    } catch (error) {
      this.#library = null
      throw error
    }
  }

  async #load(): Promise<Library> {
    const keys = await openOauthKeys(this.#services.sql, this.#services)
    // The library takes longest to load of all that the api has, and few starts need it at once.
    const { createProvider } = await import('./provider.ts')
    return { provider: createProvider(this.issuer, keys), keys }
  }

  /** Answers a call, in a transaction of its own. */
  async answer(request: FastifyRequest, asked: Asked, before: Before): Promise<Given> {
    const library = await this.library()
    return this.#inTurn(asked, async () => {
      if (await this.#isRepeat(request, asked)) return { answer: REPEATED, shownError: null }
      return this.within(request, asked.endpoint, async (call) => {
        call.derive = deriveFor(library.keys, request, asked.form)
        const ready = await before(call.sql, asked)
        if ('status' in ready) return { answer: ready, shownError: null }
        const sent = { ...ready, headers: headersFor(asked.endpoint, request.headers) }
        const answer = await exchange(library.provider, sent)
        if (answer.status >= 500) throw call.fault ?? new Error('the library failed')
        return { answer, shownError: call.shownError }
      })
    })
  }

  /**
   * A repeat of a refresh that was answered a moment ago, without an Idempotency-Key. Its answer is
   * certain, and costs one statement: a client that repeats in a loop holds no transaction.
   */
  async #isRepeat({ headers, admittedAtMs }: FastifyRequest, { endpoint, form }: Asked) {
    const refresh = form?.get('refresh_token') ?? null
    if (endpoint !== 'token' || refresh === null || headers['idempotency-key'] !== undefined)
      return false
    const token = { hash: apiKeyHash(refresh), kind: 'refresh' } as const
    const row = await findToken(this.#services.sql, token)
    return row !== null && isWithinLeeway(row, admittedAtMs)
  }

  /** Runs work of ours with the library, in one transaction. */
  within<Value>(
    request: FastifyRequest,
    endpoint: Endpoint,
    work: (call: OauthCall) => Promise<Value>,
  ): Promise<Value> {
    const { sql, seal } = this.#services
    return tx(
      sql,
      (inner) => {
        const call = newCall(request, endpoint, { sql: inner, seal })
        return withinCall(call, () => work(call))
      },
      request,
    )
  }

  #inTurn<Value>({ form }: Asked, run: () => Promise<Value>): Promise<Value> {
    const presented = form?.get('refresh_token') ?? form?.get('code') ?? null
    if (presented === null) return run()
    const name = apiKeyHash(presented).toString('hex')
    const most = SAME_TOKEN_MAX
    const refusal = () => new TooManyCalls()
    const turn = { name, most, opens: false, waitMs: SAME_TOKEN_WAIT_MS, refusal }
    return this.#turns.take(turn, run)
  }
}

const REPEATED = oauthError(400, 'invalid_grant', 'refresh token already used')

/** Calls with one token waited too long for each other. */
export class TooManyCalls extends Error {
  override readonly name = 'TooManyCalls'
  readonly answer = oauthError(503, 'temporarily_unavailable', 'too many calls with one token')
}

function newCall(
  request: FastifyRequest,
  endpoint: Endpoint,
  parts: Pick<OauthCall, 'sql' | 'seal'>,
): OauthCall {
  return {
    ...parts,
    endpoint,
    now: request.admittedAtMs,
    requestId: request.id,
    address: request.clientAddress,
    grants: new Map(),
    approval: null,
    rotated: null,
    derive: null,
    repeats: false,
    fault: null,
    shownError: null,
  }
}

/** Errors of these endpoints are JSON, whatever a browser prefers. */
function headersFor(endpoint: Endpoint, headers: FastifyRequest['headers']) {
  const passed = passedHeaders(headers)
  const isPage = endpoint === 'authorize' || endpoint === 'resume'
  return isPage ? passed : { ...passed, accept: 'application/json' }
}

const IDEMPOTENCY_KEY = /^[\x21-\x7e]{1,255}$/

/**
 * The texts of new tokens follow from the call: a repeat gets the same ones. They need a secret of
 * the installation as well, so nobody else can derive them.
 */
function deriveFor(
  keys: OauthKeys,
  { headers }: FastifyRequest,
  form: URLSearchParams | null,
): OauthCall['derive'] {
  const key = headers['idempotency-key']
  const refresh = form?.get('refresh_token') ?? null
  if (refresh === null || typeof key !== 'string' || !IDEMPOTENCY_KEY.test(key)) return null
  const environment = refresh.startsWith('svc_rt_live_') ? 'live' : 'sandbox'
  const said = [apiKeyHash(refresh).toString('hex'), form?.get('scope') ?? '', key].join('\n')
  return (kind) => newOauthText(kind, environment, keys.bytesFor(kind + '\n' + said))
}
