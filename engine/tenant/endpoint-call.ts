// One authorization request to one endpoint, from signing to the reply, the late reply or the
// silence. Every failure is a value. connecting → sent → (late →) done; a reused connection that is
// reset before any response byte is replaced once.
import { type Clock, type Timer, unixSeconds } from '../../shared/clock.ts'
import { TENANT_CALL_MS_MAX } from '../../shared/limits.ts'
import type { TenantOutcome } from '../../shared/wire/journal-entry.ts'
import { exchangeFailure, isReset } from './call-failure.ts'
import type { EndpointRequest, SpentTimes, TenantAnswer, TenantReply } from './caller.ts'
import type { Connection, Connections, ConnectionWait } from './connections.ts'
import { type ExchangeResult, exchange } from './exchange.ts'
import type { LateReplyLimit } from './late-reply-limit.ts'
import { readReply } from './reply.ts'
import { signedHeaders, traceHeaders } from './signed-headers.ts'

/**
 * Chosen: connecting ends this long before the deadline. No tenant answers in the remaining time,
 * and the engine, whose own timer ends at the deadline, still learns that the connection failed.
 */
const CONNECT_MARGIN_MS = 10
/** Longest time for the rest of an unusable reply before its connection is dropped. */
const DRAIN_MS_MAX = 1_000

export interface EndpointCallTools {
  connections: Connections
  lateReplyLimit: LateReplyLimit
  clock: Clock
  /** Share of traces that are kept, 0 to 1; null while traces are off. */
  traceShare: number | null
}

/**
 * Resolves exactly once, at the latest TENANT_CALL_MS_MAX after the request was sent; never
 * rejects. `onSpent` gets the times of signing and connecting as soon as they are known, because
 * the caller may stop waiting before the reply.
 */
export function callEndpoint(
  request: EndpointRequest,
  tools: EndpointCallTools,
  onSpent: (spent: SpentTimes) => void,
): Promise<TenantReply> {
  return new Promise((resolve) => new EndpointCall(request, tools, onSpent, resolve).start())
}

class EndpointCall {
  readonly #request: EndpointRequest
  readonly #tools: EndpointCallTools
  readonly #onSpent: (spent: SpentTimes) => void
  readonly #resolve: (reply: TenantReply) => void
  readonly #url: URL | null
  readonly #startedNs: number
  #headers: Record<string, string> = {}
  #stage: 'connecting' | 'sent' | 'late' | 'done' = 'connecting'
  #timer: Timer | null = null
  #wait: ConnectionWait | null = null
  #connection: Connection | null = null
  #reused = false
  #attempts = 1
  /** Null while the call does not wait for a connection. */
  #waitingSinceNs: number | null = null
  #sentNs: number | null = null
  #signUs = 0
  #connectUs = 0

  constructor(
    request: EndpointRequest,
    tools: EndpointCallTools,
    onSpent: (spent: SpentTimes) => void,
    resolve: (reply: TenantReply) => void,
  ) {
    this.#request = request
    this.#tools = tools
    this.#onSpent = onSpent
    this.#resolve = resolve
    this.#url = URL.parse(request.url)
    this.#startedNs = tools.clock.monotonicNs()
  }

  start(): void {
    const { clock, connections, traceShare } = this.#tools
    if (this.#url === null) return this.#finish('connection_error', { hint: 'bad_url' })
    if (this.#remainingMs() <= 0) return this.#finish('timeout_connect', {})
    this.#headers = signedHeaders(this.#request, unixSeconds(clock.nowMs()))
    if (traceShare !== null) Object.assign(this.#headers, traceHeaders(this.#request, traceShare))
    this.#signUs = Math.round((clock.monotonicNs() - this.#startedNs) / 1000)
    this.#spent()
    this.#limitConnecting()
    const idle = connections.takeIdle(this.#url.origin)
    if (idle === null) this.#connect(this.#url, false)
    else this.#send(idle, this.#url)
  }

  #remainingMs(): number {
    return this.#request.deadlineAtMs - this.#tools.clock.nowMs()
  }

  #limitConnecting(): void {
    this.#stage = 'connecting'
    this.#after(this.#remainingMs() - CONNECT_MARGIN_MS, () => this.#stop('timeout_connect'))
  }

  #connect(url: URL, fresh: boolean): void {
    const { clock, connections } = this.#tools
    this.#waitingSinceNs = clock.monotonicNs()
    this.#wait = connections.open(url, fresh, {
      opened: (connection) => {
        this.#endConnecting()
        this.#send(connection, url)
      },
      failed: ({ outcome, hint }) => this.#finish(outcome, { hint }),
    })
  }

  /** Ends the wait for a connection, with or without one. */
  #endConnecting(): void {
    if (this.#waitingSinceNs === null) return
    const waitedNs = this.#tools.clock.monotonicNs() - this.#waitingSinceNs
    this.#connectUs += Math.round(waitedNs / 1000)
    this.#waitingSinceNs = null
    this.#spent()
  }

  #spent(): void {
    this.#onSpent({ signUs: this.#signUs, connectUs: this.#connectUs })
  }

  #send(connection: Connection, url: URL): void {
    this.#connection = connection
    this.#reused = connection.kept
    const leftMs = Math.max(0, Math.floor(this.#remainingMs()))
    const headers = { ...this.#headers, 'Svc-Deadline-Ms': String(leftMs) }
    const request = { path: url.pathname + url.search, headers, body: this.#request.body }
    exchange(connection, this.#tools.connections, request, {
      written: () => this.#written(),
      ended: (result) => this.#ended(result, url),
      closed: () => this.#closed(connection),
    })
  }

  #written(): void {
    this.#stage = 'sent'
    this.#sentNs = this.#tools.clock.monotonicNs()
    this.#after(this.#remainingMs(), () => this.#passDeadline())
  }

  /** The engine has concluded by now; a later reply is still recorded. */
  #passDeadline(): void {
    if (!this.#tools.lateReplyLimit.take(this.#request.tenantId))
      return this.#stop('timeout_response')
    this.#stage = 'late'
    this.#after(TENANT_CALL_MS_MAX - this.#latencyMs(), () => this.#stop('timeout_response'))
  }

  #ended(result: ExchangeResult, url: URL): void {
    if (this.#stage === 'done') return
    if (result.kind === 'reply') {
      const { outcome, answer } = readReply(result.status, result.bytes, this.#request.requestId)
      return this.#finish(outcome, { status: result.status, answer })
    }
    if (result.kind === 'unusable') {
      this.#finish(result.outcome, { status: result.status, hint: result.hint })
      const connection = this.#connection
      this.#after(DRAIN_MS_MAX, () => connection && this.#tools.connections.discard(connection))
      return
    }
    if (this.#mayReconnect(result)) {
      this.#limitConnecting()
      return this.#connect(url, true)
    }
    const { outcome, hint } = exchangeFailure(result.error)
    this.#finish(outcome, { status: result.status, hint })
  }

  /**
   * The other side may have closed a kept connection at any time. A request that never left may
   * leave now; a request that left without one byte of reply is sent once more, under the same id.
   * Never after a timeout.
   */
  #mayReconnect(result: ExchangeResult & { kind: 'failed' }): boolean {
    const timeLeft = this.#stage !== 'late' && this.#remainingMs() > CONNECT_MARGIN_MS
    if (!this.#reused || !timeLeft || result.answered) return false
    if (!result.written) return true
    if (this.#attempts > 1 || !isReset(result.error)) return false
    this.#attempts += 1
    return true
  }

  /** The connection is back in the pool or closed, so there is none left to discard. */
  #closed(connection: Connection): void {
    if (this.#connection !== connection) return
    this.#connection = null
    if (this.#stage === 'done') this.#timer?.cancel()
  }

  /** Stops the call out of time and drops its work. */
  #stop(outcome: TenantOutcome): void {
    const connection = this.#connection
    this.#wait?.cancel()
    this.#finish(outcome, {})
    if (connection !== null) this.#tools.connections.discard(connection)
  }

  #finish(
    outcome: TenantOutcome,
    known: { status?: number | null; hint?: string | null; answer?: TenantAnswer | null },
  ): void {
    if (this.#stage === 'done') return
    this.#endConnecting()
    const late = this.#stage === 'late'
    if (late) this.#tools.lateReplyLimit.release(this.#request.tenantId)
    this.#stage = 'done'
    this.#timer?.cancel()
    const answer = known.answer ?? null
    // A late result without an answer leaves the outcome unchanged: silence.
    const silence = late && answer === null && outcome !== 'timeout_response'
    this.#resolve({
      outcome: silence ? 'timeout_response' : outcome,
      httpStatus: known.status ?? null,
      latencyMs: this.#latencyMs(),
      attempts: this.#attempts,
      errorHint: silence ? 'late_' + outcome : (known.hint ?? null),
      answer,
      signUs: this.#signUs,
      connectUs: this.#connectUs,
    })
  }

  #latencyMs(): number {
    const sinceNs = this.#sentNs ?? this.#startedNs
    return Math.round((this.#tools.clock.monotonicNs() - sinceNs) / 1_000_000)
  }

  /** One timer at a time. A delay beyond a call's longest life means that the clock moved. */
  #after(delayMs: number, task: () => void): void {
    this.#timer?.cancel()
    this.#timer = this.#tools.clock.after(Math.min(Math.max(0, delayMs), TENANT_CALL_MS_MAX), task)
  }
}
