// The network's HTTP port on node:net and node:tls. Every request is answered or its connection
// closed, wherever TCP cuts it. The port copies data that dies with its piece, and hands the bytes
// to the line.
import type { Socket } from 'node:net'
import { TLSSocket } from 'node:tls'
import type { Cidr } from '../../shared/address.ts'
import type { Clock } from '../../shared/clock.ts'
import {
  ConnectionSlots,
  connectionMetrics,
  type Slot,
  type SlotLimits,
} from '../../shared/connection-slots.ts'
import type { Logger } from '../../shared/log.ts'
import type { Result } from '../../shared/result.ts'
import type { SignedMessage } from '../line/receive.ts'
import { HttpConnection, type HttpPort } from './http-connection.ts'
import { type HttpReply, okHeadOf } from './http-reply.ts'
import type { HttpRequest } from './http-request.ts'
import { openListener } from './listener.ts'
import { RequestBatch } from './request-batch.ts'
import type { TakePiece } from './shared-reads.ts'
import { type ClientGate, type ClientProblem, clientGate, httpServerTls, type Tls } from './tls.ts'

export interface HttpListenerOptions {
  host: string
  port: number
  clock: Clock
  log: Logger
  /** Null: without TLS. */
  tls: Tls | null
  /** Addresses that may connect; empty: all. */
  allowed: readonly Cidr[]
  /** A smaller limit, for tests. */
  connections?: SlotLimits
  /** Receipt time in milliseconds; never before a time the line has seen. */
  nowMs(): number
  authorize(raw: SignedMessage): void
  /** Every arrived message was handed to the line. */
  authorized(): void
  /** Our own code failed during a decision. */
  failed(error: unknown): void
  /** Null when ready, else the reason. */
  unready(): string | null
  /** Lines about everything but connections. */
  metrics(): string
  /** Ports whose connections are shown beside those of this one. */
  otherPorts: readonly ConnectionSlots[]
}

export interface HttpListener {
  readonly port: number
  /** Accepts no new connections; each answer is the last of its connection. */
  close(): void
  /**
   * Cuts the open connections: a caller with an idle connection would keep the process alive for
   * seconds.
   */
  end(): void
}

/**
 * Chosen: a network has a few hundred at most; three quarters of the slots are for addresses that
 * have signed before.
 */
const CONNECTION_LIMITS: SlotLimits = { max: 4096, strangersMax: 1024, addressMax: 1024 }
/** How often waits are looked at, in milliseconds. */
const CHECK_EVERY_MS = 1000
const NOSNIFF = 'X-Content-Type-Options: nosniff\r\n'
/** RFC 6797: seconds for which a browser reaches this host by HTTPS only. */
const HTTPS_ONLY = 'Strict-Transport-Security: max-age=31536000\r\n'
const MESSAGES_PATH = '/v1/network/messages'

/** Listens, or returns a sentence about why the port cannot be opened. */
export async function openHttpListener(
  options: HttpListenerOptions,
): Promise<Result<HttpListener, string>> {
  const server = new HttpServer(options)
  const { host, port, tls } = options
  const listener = await openListener({
    name: 'the network port',
    host,
    port,
    slots: server.slots,
    tls: tls === null ? null : httpServerTls(tls),
    onConnection: (socket, slot) => server.connect(socket, slot),
    onHandshakeFailed: (code) => options.log.debug({ code }, 'network connection refused'),
  })
  if (!listener.ok) return listener
  server.watch()
  return {
    ok: true,
    value: {
      port: listener.value.port,
      close() {
        server.leaving = true
        listener.value.close()
      },
      end: () => server.end(),
    },
  }
}

/** All that the connections of one port share. */
class HttpServer implements HttpPort {
  readonly clock: Clock
  readonly slots: ConnectionSlots
  leaving = false
  commonLines = ''
  okHead = ''
  readonly #options: HttpListenerOptions
  readonly #arrivals: RequestBatch
  readonly #clients: ClientGate | null
  /** With the client's certificate as PEM, empty where it showed none. */
  readonly #connections = new Map<HttpConnection, string>()
  #watching: { cancel(): void } | null = null

  constructor(options: HttpListenerOptions) {
    const { clock, tls, allowed, connections = CONNECTION_LIMITS } = options
    this.#options = options
    this.clock = clock
    this.slots = new ConnectionSlots({ ...connections, name: 'http', allowed })
    this.#arrivals = requestBatchOf(options)
    this.#clients = clientGate(tls)
    this.#writeLines()
  }

  connect(socket: Socket, slot: Slot): TakePiece | null {
    const pem = this.#clients === null ? '' : certificateOf(socket)
    if (pem === null) {
      socket.destroy()
      return null
    }
    const connection = new HttpConnection(socket, slot, this, () =>
      this.#connections.delete(connection),
    )
    this.#connections.set(connection, pem)
    return (bytes, length) => connection.read(bytes, length)
  }

  handle(request: HttpRequest, reply: HttpReply, connection: HttpConnection): void {
    const { method, path } = request.head
    if (path === MESSAGES_PATH) {
      if (method === 'POST') return this.#receive(request, reply, connection)
      return reply.error('method_not_allowed', null, 'POST')
    }
    const page = PAGES[path]
    if (page === undefined) return reply.error('route_not_found')
    if (method !== 'GET') return reply.error('method_not_allowed', null, 'GET')
    this.#show(page, reply, connection)
  }

  watch(): void {
    this.#watching = this.clock.after(CHECK_EVERY_MS, () => {
      this.#writeLines()
      const nowNs = this.clock.monotonicNs()
      for (const connection of this.#connections.keys()) connection.check(nowNs)
      if (!this.leaving || this.#connections.size > 0) this.watch()
    })
  }

  end(): void {
    this.#watching?.cancel()
    for (const { socket } of this.#connections.keys()) socket.destroy()
  }

  /** The lines of an answer's head, written once a second: `Date` has no more than seconds. */
  #writeLines(): void {
    const date = 'Date: ' + new Date(this.clock.nowMs()).toUTCString() + '\r\n'
    this.commonLines = date + NOSNIFF + (this.#options.tls === null ? '' : HTTPS_ONLY)
    this.okHead = okHeadOf(this.commonLines)
  }

  #receive(request: HttpRequest, reply: HttpReply, connection: HttpConnection): void {
    const receivedNs = this.clock.monotonicNs()
    const receivedAtMs = this.#options.nowMs()
    const { signature, keyId } = request.head
    const problem = this.#problemOf(connection, keyId)
    if (problem !== null) return reply.error(problem)
    const body = this.#arrivals.copy(request.bytes, request.head.end, request.end)
    this.#arrivals.add({ signature, keyId, body, receivedAtMs, receivedNs, reply })
  }

  #show(page: Page, reply: HttpReply, connection: HttpConnection): void {
    const { unready, metrics } = this.#options
    if (page === 'live') return reply.page(200, '{"live":true}')
    if (page === 'metrics') {
      const problem = this.#problemOf(connection)
      if (problem !== null) return reply.error(problem)
      return reply.page(
        200,
        metrics() + connectionMetrics([this.slots, ...this.#options.otherPorts]),
        'text/plain; version=0.0.4',
      )
    }
    const reason = unready()
    if (reason === null) reply.page(200, '{"ready":true}')
    else reply.page(503, JSON.stringify({ ready: false, reason }))
  }

  /**
   * Chosen: a probe of our health needs no certificate; a sender of messages and a reader of
   * metrics do.
   */
  #problemOf(connection: HttpConnection, keyId?: string): ClientProblem | null {
    if (this.#clients === null) return null
    const pem = this.#connections.get(connection) ?? ''
    return this.#clients.problem(pem, this.#options.nowMs(), keyId)
  }
}

type Page = 'live' | 'ready' | 'metrics'
const PAGES: { readonly [path: string]: Page } = {
  '/health/live': 'live',
  '/health/ready': 'ready',
  '/metrics': 'metrics',
}

/**
 * The client's certificate as PEM, empty where it showed none, null where the authority did not
 * sign it.
 */
function certificateOf(socket: Socket): string | null {
  if (!(socket instanceof TLSSocket)) return ''
  const certificate = socket.getPeerX509Certificate()
  if (certificate === undefined) return ''
  return socket.authorized ? certificate.toString() : null
}

function requestBatchOf(options: HttpListenerOptions): RequestBatch {
  return new RequestBatch({
    decide(message) {
      try {
        options.authorize(message)
      } catch (error) {
        // An assertion failed: the engine refuses this message and stops. Wrong money is worse than
        // no money.
        message.reply.error('not_ready')
        options.failed(error)
      }
    },
    decided: options.authorized,
  })
}
