// The network's HTTP door: uWebSockets.js on one port, exclusively ours, with TLS when it is configured. Caps connections and
// bodies, refuses what could be read two ways, copies what dies with the request, and hands the bytes to the line.
import * as uWS from 'uWebSockets.js'
import type { Clock } from '../../shared/clock.ts'
import { NETWORK_BODY_BYTES_MAX } from '../../shared/limits.ts'
import type { Result } from '../../shared/result.ts'
import type { SignedMessage } from '../line/receive.ts'
import { Arrivals } from './arrivals.ts'
import { CONNECTION_LIMITS, type ConnectionLimits, Connections } from './connections.ts'
import { type DoorState, HttpReply } from './http-reply.ts'
import { MessageHeaders } from './message-headers.ts'
import { type ClientGate, type ClientProblem, clientGate, httpServerTls, type Tls } from './tls.ts'

export interface HttpDoorOptions {
  host: string
  port: number
  clock: Clock
  /** Null: without TLS. */
  tls: Tls | null
  /** Fewer than there may be of them, for tests. */
  connections?: ConnectionLimits
  /** Receipt time: never behind a time the line has seen. */
  nowMs(): number
  authorize(raw: SignedMessage): void
  /** Everything that had arrived was authorized. */
  authorized(): void
  /** Our own code broke while it decided. */
  failed(error: unknown): void
  /** Null when ready, else the reason. */
  unready(): string | null
  metrics(): string
}

export interface HttpDoor {
  readonly port: number
  /** Takes no new connections; of open ones each answer is the last. */
  close(): void
  /** Cuts what is still open: a caller that keeps an idle connection would hold the process for seconds. */
  end(): void
}

/** The library also takes an empty one, for 0. */
const LENGTH = /^\d{1,15}$/

/** What the requests of one port share. */
interface Door {
  options: HttpDoorOptions
  connections: Connections
  headers: MessageHeaders
  arrivals: Arrivals
  state: DoorState
  clients: ClientGate | null
  /** Our port, once we have it. */
  port: number
}

/** Listens, or says in one sentence why the port cannot be had. Every request is answered, whatever it is. */
export function openHttpDoor(options: HttpDoorOptions): Promise<Result<HttpDoor, string>> {
  const door: Door = {
    options,
    connections: new Connections(options.clock, options.connections ?? CONNECTION_LIMITS),
    headers: new MessageHeaders(),
    arrivals: arrivalsOf(options),
    state: { leaving: false, secure: options.tls !== null },
    clients: clientGate(options.tls),
    port: options.port,
  }
  const app = appOf(options.tls)
  if (app === null) {
    return Promise.resolve({
      ok: false,
      error: 'the network port cannot speak TLS with these certificates',
    })
  }
  app.filter(countConnections(door))
  addRoutes(app, door)
  return new Promise((resolve) => {
    ;(app as unknown as ExclusiveApp).listen(
      options.host,
      options.port,
      LISTEN_EXCLUSIVE,
      (socket) => {
        if (socket === false) {
          const place = options.host + ':' + options.port
          return resolve({
            ok: false,
            error: 'the network port ' + place + ' cannot be opened: it is in use or not ours',
          })
        }
        door.port = uWS.us_socket_local_port(socket)
        resolve({
          ok: true,
          value: {
            port: door.port,
            close() {
              door.state.leaving = true
              uWS.us_listen_socket_close(socket)
            },
            end: () => void app.close(),
          },
        })
      },
    )
  })
}

function arrivalsOf(options: HttpDoorOptions): Arrivals {
  return new Arrivals({
    decide(message) {
      try {
        options.authorize(message)
      } catch (error) {
        // An assertion of ours: this message is refused, and the engine leaves. Wrong money is worse than no money.
        message.reply.error('not_ready')
        options.failed(error)
      }
    },
    decided: options.authorized,
  })
}

/** Null when the library cannot use the files, although they were read and found right. */
function appOf(tls: Tls | null): uWS.TemplatedApp | null {
  if (tls === null) return uWS.App({})
  try {
    return uWS.SSLApp(httpServerTls(tls))
  } catch {
    return null
  }
}

/** The library calls it with 1 and with -1. */
function countConnections(door: Door): (res: uWS.HttpResponse, count: number) => void {
  const { connections } = door
  return (res, count) => {
    if (count < 0) connections.closed()
    else if (!connections.opened(new Uint8Array(res.getRemoteAddress()), door.port)) res.close()
  }
}

function addRoutes(app: uWS.TemplatedApp, door: Door): void {
  const { options } = door
  app.post('/v1/network/messages', (res, req) => receiveMessage(door, res, req))
  app.get('/health/live', (res) => replyOf(door, res).page(200, '{"live":true}'))
  app.get('/health/ready', (res) => {
    const reason = options.unready()
    const reply = replyOf(door, res)
    if (reason === null) reply.page(200, '{"ready":true}')
    else reply.page(503, JSON.stringify({ ready: false, reason }))
  })
  app.get('/metrics', (res) => {
    const reply = replyOf(door, res)
    const problem = clientProblem(door, res)
    if (problem !== null) return reply.error(problem)
    const text = options.metrics() + door.connections.metrics()
    reply.page(200, text, 'text/plain; version=0.0.4')
  })
  for (const path of ['/v1/network/messages', '/health/live', '/health/ready', '/metrics']) {
    const allow = path === '/v1/network/messages' ? 'POST' : 'GET'
    app.any(path, (res) => replyOf(door, res).error('method_not_allowed', null, allow))
  }
  app.any('/*', (res) => replyOf(door, res).error('route_not_found'))
}

function replyOf(door: Door, res: uWS.HttpResponse): HttpReply {
  return new HttpReply(res, door.state)
}

/** Chosen: who asks after our health needs no certificate; whoever sends messages or reads metrics does. */
function clientProblem(door: Door, res: uWS.HttpResponse, keyId?: string): ClientProblem | null {
  if (door.clients === null) return null
  return door.clients.problem(certificateOf(res), door.options.nowMs(), keyId)
}

/** The client's certificate as PEM, empty when it showed none; the library's types leave the call out. */
function certificateOf(res: uWS.HttpResponse): string {
  return (res as unknown as { getX509Certificate(): string }).getX509Certificate()
}

/** LIBUS_LISTEN_EXCLUSIVE_PORT: the library's default silently shares a port with another process. */
const LISTEN_EXCLUSIVE = 1

/** The overload with host and options, which the library has and its types leave out. */
interface ExclusiveApp {
  listen(
    host: string,
    port: number,
    options: number,
    whenDone: (socket: uWS.us_listen_socket | false) => void,
  ): void
}

function receiveMessage(door: Door, res: uWS.HttpResponse, req: uWS.HttpRequest): void {
  const { options, headers } = door
  const receivedNs = options.clock.monotonicNs()
  const receivedAtMs = options.nowMs()
  headers.read(req)
  const { signature, keyId, length, duplicated } = headers

  const reply = replyOf(door, res)
  if (duplicated !== null) return reply.error('header_duplicated', duplicated)
  if (headers.hasTransferEncoding || !LENGTH.test(length)) return reply.error('length_required')
  if (Number(length) > NETWORK_BODY_BYTES_MAX) return reply.error('payload_too_large')
  const problem = clientProblem(door, res, keyId)
  if (problem !== null) return reply.error(problem)
  collect(door, res, Number(length), (body) => {
    door.arrivals.add({ signature, keyId, body, receivedAtMs, receivedNs, reply })
  })
}

/** Calls back once with the whole body. What the library gives is its own until the callback returns. */
function collect(
  { arrivals }: Door,
  res: uWS.HttpResponse,
  length: number,
  whenWhole: (body: Buffer) => void,
): void {
  let whole: Buffer | null = null
  let filled = 0
  res.onData((chunk, isLast) => {
    const bytes = Buffer.from(chunk)
    if (isLast && filled === 0) return whenWhole(arrivals.copy(bytes))
    whole ??= Buffer.allocUnsafe(length)
    filled += bytes.copy(whole, filled)
    if (isLast) whenWhole(whole.subarray(0, filled))
  })
}
