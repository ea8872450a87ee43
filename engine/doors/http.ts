// The network's HTTP door: uWebSockets.js on one port, exclusively ours. Caps the body, refuses what could be read two
// ways, copies what dies with the request, and hands the bytes to the line.
import * as uWS from 'uWebSockets.js'
import type { Clock } from '../../shared/clock.ts'
import { ERRORS, type ErrorCode, errorBody } from '../../shared/error-catalog.ts'
import { NETWORK_BODY_BYTES_MAX } from '../../shared/limits.ts'
import type { Result } from '../../shared/result.ts'
import type { Reply } from '../line/line.ts'
import type { RawMessage } from '../line/receive.ts'

export interface HttpDoorOptions {
  host: string
  port: number
  clock: Clock
  /** Receipt time: never behind a time the line has seen. */
  nowMs(): number
  authorize(raw: RawMessage): void
  /** Our own code broke while it decided. */
  failed(error: unknown): void
  /** Null when ready, else the reason. */
  unready(): string | null
  metrics(): string
}

export interface HttpDoor {
  readonly port: number
  /** Takes no new connections; open ones are answered until they are idle. */
  close(): void
}

/** Seconds after which a refused sender may try again. */
const RETRY_AFTER_S = '1'
/** Headers that may appear only once: read twice, two readers could disagree about the message. */
const SINGLE_HEADERS: ReadonlySet<string> = new Set([
  'content-length',
  'svc-signature',
  'svc-key-id',
  'transfer-encoding',
])

/** Listens, or says in one sentence why the port cannot be had. Every request is answered, whatever it is. */
export function openHttpDoor(options: HttpDoorOptions): Promise<Result<HttpDoor, string>> {
  const app = uWS.App({})
  app.post('/v1/network/messages', (res, req) => receiveBody(options, res, req))
  app.get('/health/live', (res) => sendJson(res, '200 OK', '{"live":true}'))
  app.get('/health/ready', (res) => {
    const reason = options.unready()
    if (reason === null) sendJson(res, '200 OK', '{"ready":true}')
    else sendJson(res, '503 Service Unavailable', JSON.stringify({ ready: false, reason }))
  })
  app.get('/metrics', (res) => {
    res.writeHeader('Content-Type', 'text/plain; version=0.0.4').end(options.metrics())
  })
  for (const path of ['/v1/network/messages', '/health/live', '/health/ready', '/metrics']) {
    const allow = path === '/v1/network/messages' ? 'POST' : 'GET'
    app.any(path, (res) => sendError(res, 'method_not_allowed', allow))
  }
  app.any('/*', (res) => sendError(res, 'route_not_found'))
  return new Promise((resolve) => {
    ;(app as unknown as ExclusiveApp).listen(
      options.host,
      options.port,
      LISTEN_EXCLUSIVE,
      (socket) => {
        if (socket === false) {
          const place = options.host + ':' + options.port
          resolve({
            ok: false,
            error: 'the network port ' + place + ' cannot be opened: it is in use or not ours',
          })
        } else {
          resolve({
            ok: true,
            value: {
              port: uWS.us_socket_local_port(socket),
              close: () => uWS.us_listen_socket_close(socket),
            },
          })
        }
      },
    )
  })
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

function receiveBody(options: HttpDoorOptions, res: uWS.HttpResponse, req: uWS.HttpRequest): void {
  const receivedNs = options.clock.monotonicNs()
  const receivedAtMs = options.nowMs()
  const seen = new Set<string>()
  let duplicated: string | null = null
  req.forEach((name) => {
    if (!SINGLE_HEADERS.has(name)) return
    if (seen.has(name)) duplicated = name
    seen.add(name)
  })
  const signature = req.getHeader('svc-signature')
  const keyId = req.getHeader('svc-key-id')
  const chunked = seen.has('transfer-encoding')
  const length = seen.has('content-length') ? Number(req.getHeader('content-length')) : Number.NaN

  const reply = new HttpReply(res)
  res.onAborted(() => reply.abort())
  if (duplicated !== null) return reply.error('header_duplicated', duplicated)
  if (chunked || !Number.isSafeInteger(length)) return reply.error('length_required')
  if (length > NETWORK_BODY_BYTES_MAX) return reply.error('payload_too_large')
  collect(res, length, (body) => {
    if (!reply.open) return
    try {
      options.authorize({ signature, keyId, body, receivedAtMs, receivedNs, reply })
    } catch (error) {
      // An assertion of ours: this message is refused, and the engine leaves. Wrong money is worse than no money.
      reply.error('not_ready')
      options.failed(error)
    }
  })
}

/** Calls back once with the whole body. The bytes belong to the library until the callback returns. */
function collect(
  res: uWS.HttpResponse,
  length: number,
  whenWhole: (body: Uint8Array) => void,
): void {
  let whole: Buffer | null = null
  let filled = 0
  res.onData((chunk, isLast) => {
    if (isLast && filled === 0) return whenWhole(Buffer.from(chunk))
    whole ??= Buffer.allocUnsafe(length)
    filled += Buffer.from(chunk).copy(whole, filled)
    if (isLast) whenWhole(whole.subarray(0, filled))
  })
}

class HttpReply implements Reply {
  readonly #res: uWS.HttpResponse
  open = true

  constructor(res: uWS.HttpResponse) {
    this.#res = res
  }

  abort(): void {
    this.open = false
  }

  send(status: number, body: string, last = false): void {
    if (!this.open) return
    this.open = false
    this.#res.cork(() => {
      if (status === 200) return void sendJson(this.#res, '200 OK', body)
      this.#res.writeStatus(statusLine(status))
      if (status === 503) this.#res.writeHeader('Retry-After', RETRY_AFTER_S)
      this.#res.writeHeader('Content-Type', 'application/json').end(body, last)
    })
  }

  /** The last answer of its connection: where the refused message ends, two readers could disagree. */
  error(code: ErrorCode, param: string | null = null): void {
    this.send(ERRORS[code].status, JSON.stringify(errorBody(code, param)), true)
  }
}

function sendJson(res: uWS.HttpResponse, status: string, body: string): void {
  res.writeStatus(status).writeHeader('Content-Type', 'application/json').end(body)
}

function sendError(res: uWS.HttpResponse, code: ErrorCode, allow?: string): void {
  res.writeStatus(statusLine(ERRORS[code].status))
  if (allow !== undefined) res.writeHeader('Allow', allow)
  res.writeHeader('Content-Type', 'application/json').end(JSON.stringify(errorBody(code)), true)
}

const STATUS_LINES: { readonly [status: number]: string } = {
  400: '400 Bad Request',
  401: '401 Unauthorized',
  404: '404 Not Found',
  405: '405 Method Not Allowed',
  411: '411 Length Required',
  413: '413 Payload Too Large',
  503: '503 Service Unavailable',
}

function statusLine(status: number): string {
  return STATUS_LINES[status] ?? status + ' Error'
}
