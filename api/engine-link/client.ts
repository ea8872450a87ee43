// The API's side of the engine's private socket: HTTP on a Unix socket with msgpack bodies. Every
// call ends: with an answer, or with an EngineError when the engine refused, is down or did not
// answer in time.
import { Agent, request as httpRequest, type IncomingMessage } from 'node:http'
import { Packr } from 'msgpackr'
import type { Clock } from '../../shared/clock.ts'
import {
  type AttachAnswer,
  type AttachRequest,
  type BreakersAnswer,
  CONTROL_PATHS,
  type ConfigPush,
  type DecideAnswer,
  type DrainedRequest,
  type EndHoldsAnswer,
  type EvaluateAnswer,
  type EvaluateRequest,
  type HoldToEnd,
  JOURNAL_HEADERS,
  type PaymentMessage,
  type StatusAnswer,
} from '../../shared/wire/control.ts'
import { EngineError } from './engine-error.ts'
import { type PaymentDecision, paymentDecision } from './payment-decision.ts'

export { EngineError } from './engine-error.ts'
export type { PaymentDecision } from './payment-decision.ts'

const ANSWER_MS_MAX = 5000
/** For secondary data in an answer: unknown is better than late. */
const GLANCE_MS_MAX = 250
const ANSWER_BYTES_MAX = 16 * 1024 * 1024
const CONNECTIONS_MAX = 64

export interface JournalPage {
  journalId: string
  firstSeq: number
  /** The entries' bytes, in order; empty without new entries. */
  entries: readonly Buffer[]
}

export interface EngineClient {
  readonly clock: Clock
  status(): Promise<StatusAnswer>
  attach(request: AttachRequest): Promise<AttachAnswer>
  pushConfig(push: ConfigPush): Promise<void>
  /**
   * Returns false when the engine does not have the transaction yet; the engine waits up to a
   * second for it.
   */
  covers(xid: bigint, deadlineMs?: number): Promise<boolean>
  /** As `covers`, and every decision that the engine made before is in the journal. */
  settled(xid: bigint): Promise<boolean>
  journal(fromSeq: number, bytesMax: number): Promise<JournalPage>
  drained(request: DrainedRequest): Promise<void>
  /** Rejects with status 404 when the engine has no such card, 503 while it decides nothing. */
  evaluate(request: EvaluateRequest): Promise<EvaluateAnswer>
  /**
   * Decides or records a message about a payment. Rejects with status 400 or 422 where the message
   * is malformed or its id was used with other content; both are mistakes of the caller.
   */
  decidePayment(message: PaymentMessage): Promise<PaymentDecision>
  /** Number of holds that were open and have now ended. */
  endHolds(holds: readonly HoldToEnd[]): Promise<number>
  /** The circuit breakers of these endpoints, in their order. */
  breakers(endpointIds: readonly string[]): Promise<BreakersAnswer>
  /** Tells what the database's clock says now, in milliseconds since the epoch. */
  databaseSays(nowMs: number): Promise<void>
  /**
   * Accepts the engine's system clock against the named sources. Rejects with status 409 where the
   * disagreement is another one.
   */
  acceptClock(disagreement: string): Promise<void>
  close(): void
}

interface Call {
  method: 'GET' | 'POST'
  path: string
  body?: Buffer
  deadlineMs?: number
}

interface Reply {
  status: number
  headers: IncomingMessage['headers']
  body: Buffer
}

const packr = new Packr({ useRecords: false, variableMapSize: true })

export function createEngineClient(options: { socketPath: string; clock: Clock }): EngineClient {
  const agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS_MAX, maxFreeSockets: 8 })
  const call = (details: Call): Promise<Reply> => send({ ...options, agent }, details)
  const post = async (path: string, body: unknown): Promise<unknown> => {
    const reply = await call({ method: 'POST', path, body: packr.pack(body) })
    return answerOf(reply)
  }
  const covers = async (query: string, deadlineMs: number): Promise<boolean> => {
    const reply = await call({ method: 'GET', path: CONTROL_PATHS.covers + query, deadlineMs })
    if (reply.status === 504) return false
    answerOf(reply)
    return true
  }
  return {
    clock: options.clock,
    // The engine is ours and uses the same contract: its answers are not checked again.
    async status() {
      const answer = answerOf(await call({ method: 'GET', path: CONTROL_PATHS.status }))
      // An engine of the release before is no member of a shard and does not say so.
      return { member_id: null, ...(answer as Omit<StatusAnswer, 'member_id'>) }
    },
    attach: async (request) => (await post(CONTROL_PATHS.attach, request)) as AttachAnswer,
    pushConfig: async (push) => void (await post(CONTROL_PATHS.configCache, push)),
    drained: async (request) => void (await post(CONTROL_PATHS.drained, request)),
    async breakers(endpointIds) {
      const path = CONTROL_PATHS.breakers + '?endpoints=' + endpointIds.join(',')
      const reply = await call({ method: 'GET', path, deadlineMs: GLANCE_MS_MAX })
      return answerOf(reply) as BreakersAnswer
    },
    evaluate: async (request) => (await post(CONTROL_PATHS.evaluate, request)) as EvaluateAnswer,
    decidePayment: (message) =>
      paymentDecision(() => post(CONTROL_PATHS.decide, message) as Promise<DecideAnswer>),
    async endHolds(holds) {
      const answer = (await post(CONTROL_PATHS.endHolds, { holds })) as EndHoldsAnswer
      return answer.ended
    },
    databaseSays: async (nowMs) => void (await post(CONTROL_PATHS.clock, { now_ms: nowMs })),
    acceptClock: async (disagreement) =>
      void (await post(CONTROL_PATHS.acceptClock, { disagreement })),
    covers: (xid, deadlineMs = ANSWER_MS_MAX) => covers('?xid=' + xid, deadlineMs),
    settled: (xid) => covers('?xid=' + xid + '&settled', ANSWER_MS_MAX),
    async journal(fromSeq, bytesMax) {
      const path = CONTROL_PATHS.journal + '?from=' + fromSeq + '&bytes_max=' + bytesMax
      const reply = await call({ method: 'GET', path })
      if (reply.status !== 200) answerOf(reply)
      return pageOf(reply)
    },
    close: () => agent.destroy(),
  }
}

function answerOf(reply: Reply): unknown {
  const value: unknown = packr.unpack(reply.body)
  if (reply.status === 200) return value
  const error = typeof value === 'object' && value !== null && 'error' in value ? value.error : null
  throw new EngineError(reply.status, 'the engine refused: ' + String(error))
}

function pageOf(reply: Reply): JournalPage {
  const entries: Buffer[] = []
  let at = 0
  while (at + 4 <= reply.body.length) {
    const end = at + 4 + reply.body.readUInt32LE(at)
    entries.push(reply.body.subarray(at + 4, end))
    at = end
  }
  const count = Number(reply.headers[JOURNAL_HEADERS.count])
  if (at !== reply.body.length || count !== entries.length)
    throw new EngineError(0, 'a journal page is cut off')
  return {
    journalId: String(reply.headers[JOURNAL_HEADERS.journalId]),
    firstSeq: Number(reply.headers[JOURNAL_HEADERS.firstSeq]),
    entries,
  }
}

function send(
  where: { socketPath: string; clock: Clock; agent: Agent },
  { method, path, body, deadlineMs = ANSWER_MS_MAX }: Call,
): Promise<Reply> {
  const { socketPath, clock, agent } = where
  return new Promise((resolve, reject) => {
    const fail = (cause: unknown): void => {
      deadline.cancel()
      reject(new EngineError(0, 'the engine does not answer', { cause }))
    }
    const headers = body === undefined ? {} : { 'content-length': body.length }
    const request = httpRequest({ socketPath, agent, method, path, headers }, (response) => {
      const parts: Buffer[] = []
      let bytes = 0
      response.on('data', (part: Buffer) => {
        bytes += part.length
        if (bytes > ANSWER_BYTES_MAX) request.destroy(new Error('the answer is too large'))
        else parts.push(part)
      })
      response.on('error', fail)
      response.on('aborted', () => fail(new Error('the answer is cut off')))
      response.on('end', () => {
        deadline.cancel()
        const { statusCode: status = 0 } = response
        resolve({ status, headers: response.headers, body: Buffer.concat(parts, bytes) })
      })
    })
    const deadline = clock.after(deadlineMs, () => {
      request.destroy(new Error('no answer within ' + deadlineMs + ' ms'))
    })
    request.on('error', fail)
    request.end(body)
  })
}
