// The engine's private socket: the api pushes config records and pulls the journal here. HTTP on a
// Unix socket, bodies in msgpack. Runs on the decision thread, so every request is small and
// bounded; foreign input is refused, never thrown.
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { Clock } from '../../shared/clock.ts'
import { ENGINE_COVER_MS_MAX } from '../../shared/limits.ts'
import type { Logger } from '../../shared/log.ts'
import type { Result } from '../../shared/result.ts'
import {
  type AttachAnswer,
  type AttachRequest,
  type BreakerReport,
  type BreakersAnswer,
  CONTROL_PATHS,
  type ControlStatus,
  type DecideAnswer,
  type EndHoldsAnswer,
  type EvaluateAnswer,
  type EvaluateRequest,
  type HoldToEnd,
  type PaymentMessage,
  type StatusAnswer,
} from '../../shared/wire/control.ts'
import type { ConfigCache } from '../config-cache/config-cache.ts'
import type { DecisionLog } from '../journal/decision-log.ts'
import type { MessageLinkOptions } from '../member/message-link.ts'
import { type Answer, bodyOf, journalPage, ok, refusal, wholeNumber } from './answers.ts'
import { type JournalState, journalState } from './check-database-match.ts'
import type { Undecided } from './decide.ts'
import { takeDoors } from './door-messages.ts'
import type { Unevaluated } from './evaluate.ts'
import { type KeptSocket, keepSocket } from './kept-socket.ts'
import {
  acceptClockOf,
  attachRequestOf,
  configPushOf,
  databaseClockOf,
  drainedRequestOf,
  endHoldsOf,
  evaluateRequestOf,
  packed,
  paymentMessageOf,
} from './requests.ts'
import { Waiters } from './waiters.ts'

/** Bytes of a pushed batch; the sender cuts its batches far smaller. */
const BODY_BYTES_MAX = 8 * 1024 * 1024
const PAGE_BYTES_MAX = 4 * 1024 * 1024
const PAGE_BYTES_DEFAULT = 512 * 1024
/** Milliseconds for which an empty journal page waits for a new entry. */
const JOURNAL_WAIT_MS = 200
const WAITERS_MAX = 1000
const CONNECTIONS_MAX = 256
const REQUEST_MS_MAX = 10_000
/** Endpoints in one breaker query; a page of the API holds no more. */
const ENDPOINTS_MAX = 100

export interface ControlOptions {
  socketPath: string
  clock: Clock
  log: Logger
  status(): ControlStatus
  configCache: ConfigCache
  journal: DecisionLog
  /** The current circuit breaker of an endpoint. */
  breakerOf(endpointId: string): BreakerReport
  /** A dry run: the decision that an authorization would get now. */
  evaluate(request: EvaluateRequest): EvaluateAnswer | Unevaluated
  /** Decides or records a message of the network of payments, when its entry is synced. */
  decide(message: PaymentMessage): Promise<DecideAnswer | Undecided>
  /** Ends the holds that are open and over; returns their count. */
  endHolds(holds: readonly HoldToEnd[]): number
  /** Called with the present time by the database's clock. */
  databaseSays(nowMs: number): void
  /** An operator accepts the system clock against the named sources. */
  acceptClock(disagreement: string): Promise<Result<null, string>>
  /** Decides whether this database may take the journal; `checkDatabaseMatch` does it. */
  attach(request: AttachRequest, state: JournalState): AttachAnswer | Promise<AttachAnswer>
  /** PostgreSQL has the entries up to `seq`. */
  onDrained(seq: number): void
  /** The attaching database has the entries up to `seq`: less than before where it lost some. */
  onAttached(seq: number): void
  /** A member binds every later owner to its config records; false: not confirmed. */
  confirm?(): Promise<boolean>
  /** The line, for a front door on this machine; absent: messages come over the network port. */
  door?: MessageLinkOptions
  /** A follower returns the owner's answer; null where this member owns the shard. */
  forward?(method: string, url: string, body: Buffer): Promise<Answer> | null
}

export interface Control {
  /** The database that may use the control socket, or null. */
  readonly attachedTo: string | null
  /** Call it when entries became durable: a page that waits for them is answered. */
  wake(): void
  /** Answers a request that came another way than over the socket. */
  answer(method: string, url: string, body: Buffer): Promise<Answer>
  close(): Promise<void>
}

type Query = URLSearchParams

/** Rejects with a sentence if a running engine holds the socket. */
export async function openControl(options: ControlOptions): Promise<Control> {
  const { socketPath: path, clock, log } = options
  const listener = new Listener(options)
  listener.socket = await keepSocket({ path, clock, log, newServer: () => listener.newServer() })
  return listener
}

class Listener implements Control {
  socket: KeptSocket | null = null
  readonly #options: ControlOptions
  readonly #covered: Waiters
  readonly #synced: Waiters
  #attachedTo: string | null = null
  /** Logged once, not at every attempt. */
  #refused: string | null = null
  readonly #routes: {
    readonly [route: string]: (body: Buffer, query: Query) => Answer | Promise<Answer>
  } = {
    ['GET ' + CONTROL_PATHS.status]: () => this.#status(),
    ['POST ' + CONTROL_PATHS.attach]: (body) => this.#attach(body),
    ['POST ' + CONTROL_PATHS.configCache]: (body) => this.#configCache(body),
    ['GET ' + CONTROL_PATHS.covers]: (_, query) => this.#covers(query),
    ['GET ' + CONTROL_PATHS.journal]: (_, query) => this.#journal(query),
    ['POST ' + CONTROL_PATHS.drained]: (body) => this.#drained(body),
    ['POST ' + CONTROL_PATHS.evaluate]: (body) => this.#evaluate(body),
    ['POST ' + CONTROL_PATHS.decide]: (body) => this.#decide(body),
    ['GET ' + CONTROL_PATHS.breakers]: (_, query) => this.#breakers(query),
    ['POST ' + CONTROL_PATHS.endHolds]: (body) => this.#endHolds(body),
    ['POST ' + CONTROL_PATHS.clock]: (body) => this.#clock(body),
    ['POST ' + CONTROL_PATHS.acceptClock]: (body) => this.#acceptClock(body),
  }

  constructor(options: ControlOptions) {
    this.#options = options
    this.#covered = new Waiters({ clock: options.clock, most: WAITERS_MAX })
    this.#synced = new Waiters({ clock: options.clock, most: WAITERS_MAX })
  }

  newServer(): Server {
    const server = createServer(
      {
        requestTimeout: REQUEST_MS_MAX,
        headersTimeout: REQUEST_MS_MAX,
        // Both ends are ours: closing an idle connection here could only race with its next
        // request.
        keepAliveTimeout: 0,
        maxHeaderSize: 4096,
      },
      (request, response) => void this.#serve(request, response),
    )
    server.maxConnections = CONNECTIONS_MAX
    if (this.#options.door !== undefined) takeDoors(server, this.#options.door)
    return server
  }

  get attachedTo(): string | null {
    return this.#attachedTo
  }

  wake(): void {
    this.#synced.check()
  }

  async close(): Promise<void> {
    this.#covered.release()
    this.#synced.release()
    await this.socket?.close()
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    response.on('error', () => response.destroy())
    try {
      const body = await bodyOf(request, BODY_BYTES_MAX)
      const answer =
        body === null
          ? refusal(413, 'the body is too large')
          : await this.answer(request.method ?? '', request.url ?? '', body)
      response.writeHead(answer.status, {
        'content-length': answer.body.length,
        ...(body === null ? { connection: 'close' } : {}),
        ...answer.headers,
      })
      response.end(answer.body)
    } catch (cause) {
      this.#options.log.error({ err: cause, path: request.url }, 'a control request failed')
      if (!response.headersSent) response.writeHead(500).end(packed({ error: 'internal error' }))
      else response.destroy()
    }
  }

  async answer(method: string, url: string, body: Buffer): Promise<Answer> {
    const [path = '', query = ''] = url.split('?', 2)
    const route = this.#routes[method + ' ' + path]
    if (route === undefined) return refusal(404, 'no such request')
    const forwarded = OWNERS_ALONE.has(path) ? this.#options.forward?.(method, url, body) : null
    if (forwarded != null) return forwarded
    if (this.#attachedTo === null && !BEFORE_ATTACH.has(path)) return refusal(409, NOT_ATTACHED)
    return route(body, new URLSearchParams(query))
  }

  #status(): Answer {
    const { firstSeq } = journalState(this.#options.journal, null)
    return ok({ ...this.#options.status(), first_seq: firstSeq } satisfies StatusAnswer)
  }

  async #attach(body: Buffer): Promise<Answer> {
    const request = attachRequestOf(body)
    if (request === null) return refusal(400, 'not an AttachRequest')
    const state = journalState(this.#options.journal, this.#attachedTo)
    const answer = await this.#options.attach(request, state)
    if (answer.attached) {
      this.#attachedTo = request.database_id
      this.#options.onAttached(request.journal?.seq ?? 0)
    } else if (answer.refused !== this.#refused) this.#options.log.error(answer.refused)
    this.#refused = answer.attached ? null : answer.refused
    return ok(answer)
  }

  async #configCache(body: Buffer): Promise<Answer> {
    const push = configPushOf(body)
    if (push === null) return refusal(400, 'not a ConfigPush')
    if (push.database_id !== this.#attachedTo) return refusal(409, NOT_ATTACHED)
    const applied = await this.#options.configCache.apply(push)
    if (!applied.ok) return refusal(412, applied.error)
    this.#covered.check()
    return ok({})
  }

  async #covers(query: Query): Promise<Answer> {
    const text = query.get('xid') ?? ''
    if (!/^\d{1,20}$/.test(text)) return refusal(400, 'xid must be a transaction id')
    const xid = BigInt(text)
    const { configCache, journal } = this.#options
    // Ids of another database mean nothing here.
    const ready = (): boolean =>
      configCache.databaseId === this.#attachedTo && configCache.covers(xid)
    const covered = await this.#covered.wait(ready, ENGINE_COVER_MS_MAX)
    const untilSeq = query.has('settled') ? journal.lastSeq : 0
    const isSettled = (): boolean => journal.syncedSeq >= untilSeq
    const settled = covered && (await this.#synced.wait(isSettled, ENGINE_COVER_MS_MAX))
    const confirmed = settled && (await (this.#options.confirm?.() ?? true))
    return confirmed ? ok({}) : refusal(504, 'the config cache does not cover this transaction yet')
  }

  async #journal(query: Query): Promise<Answer> {
    const { journal } = this.#options
    const from = wholeNumber(query.get('from'))
    const most = wholeNumber(query.get('bytes_max') ?? String(PAGE_BYTES_DEFAULT))
    if (from === null || from === 0 || most === null) return refusal(400, 'from must be a sequence')
    if (from > journal.syncedSeq + 1) return refusal(410, 'the journal ends before this entry')
    const some = await this.#synced.wait(() => journal.syncedSeq >= from, JOURNAL_WAIT_MS)
    if (!some) return journalPage(journal.journalId, { firstSeq: from, count: 0, frames: NOTHING })
    if (from < journalState(journal, null).firstSeq) return refusal(410, GONE)
    const page = await journal.read(from, Math.min(most, PAGE_BYTES_MAX))
    if (page.firstSeq !== from) return refusal(410, GONE)
    return journalPage(journal.journalId, page)
  }

  #breakers(query: Query): Answer {
    const ids = (query.get('endpoints') ?? '').split(',')
    if (ids.length > ENDPOINTS_MAX) return refusal(400, 'too many endpoints')
    return ok(ids.map((id) => this.#options.breakerOf(id)) satisfies BreakersAnswer)
  }

  #evaluate(body: Buffer): Answer {
    const request = evaluateRequestOf(body)
    if (request === null) return refusal(400, 'not an EvaluateRequest')
    const evaluated = this.#options.evaluate(request)
    return 'error' in evaluated ? refusal(evaluated.status, evaluated.error) : ok(evaluated)
  }

  async #decide(body: Buffer): Promise<Answer> {
    const message = paymentMessageOf(body)
    if (message === null) return refusal(400, 'not a PaymentMessage')
    const decided = await this.#options.decide(message)
    return 'error' in decided ? refusal(decided.status, decided.error) : ok(decided)
  }

  #endHolds(body: Buffer): Answer {
    const request = endHoldsOf(body)
    if (request === null) return refusal(400, 'not an EndHolds')
    const ended = this.#options.endHolds(request.holds)
    return ok({ ended } satisfies EndHoldsAnswer)
  }

  #clock(body: Buffer): Answer {
    const request = databaseClockOf(body)
    if (request === null) return refusal(400, 'not a DatabaseClock')
    this.#options.databaseSays(request.now_ms)
    return ok({})
  }

  async #acceptClock(body: Buffer): Promise<Answer> {
    const request = acceptClockOf(body)
    if (request === null) return refusal(400, 'not an AcceptClock')
    const accepted = await this.#options.acceptClock(request.disagreement)
    return accepted.ok ? ok({}) : refusal(409, accepted.error)
  }

  #drained(body: Buffer): Answer {
    const { journal } = this.#options
    const request = drainedRequestOf(body)
    if (request === null) return refusal(400, 'not a DrainedRequest')
    if (request.journal_id !== journal.journalId || request.seq > journal.syncedSeq)
      return refusal(409, 'these entries are not of this journal')
    this.#options.onDrained(request.seq)
    return ok({})
  }
}

const BEFORE_ATTACH: ReadonlySet<string> = new Set([
  CONTROL_PATHS.status,
  CONTROL_PATHS.attach,
  CONTROL_PATHS.acceptClock,
])
/** Requests that the owner of the shard answers. */
const OWNERS_ALONE: ReadonlySet<string> = new Set([
  CONTROL_PATHS.covers,
  CONTROL_PATHS.evaluate,
  CONTROL_PATHS.decide,
  CONTROL_PATHS.endHolds,
  CONTROL_PATHS.breakers,
])
const NOT_ATTACHED = 'this database is not attached'
const GONE = 'this entry is no longer kept'
const NOTHING = Buffer.alloc(0)
