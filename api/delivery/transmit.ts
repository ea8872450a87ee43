// Signed request → outcome. One POST, no redirect, no retry, 15 seconds for everything; decides on the status alone.
import { Agent, type Dispatcher } from 'undici'
import type { Cidr } from '../../shared/address.ts'
import { openAddressBook } from '../../shared/address-book.ts'
import type { Clock } from '../../shared/clock.ts'
import { withoutPans } from '../../shared/log.ts'
import type { DeliveryRequest } from './compose.ts'
import type { AttemptOutcome, ErrorClass } from './delivery.ts'
import { answeredWell } from './verdict.ts'
import { ConnectRefusal, vettedConnector } from './vetted-connector.ts'

/** DESIGN 9: success is a 2xx within this, connecting included. */
const ATTEMPT_MS_MAX = 15_000
const CONNECT_MS_MAX = 5000
const RESPONSE_BYTES_MAX = 16 * 1024
/** How much of the response body the attempt log keeps. */
const LOGGED_CHARACTERS_MAX = 1024

export interface Transmitter {
  transmit(request: DeliveryRequest): Promise<AttemptOutcome>
  /** Ends every connection, also those in use. */
  close(): Promise<void>
}

export interface TransmitterOptions {
  clock: Clock
  opened: readonly Cidr[]
  attemptMsMax?: number
}

export function createTransmitter(options: TransmitterOptions): Transmitter {
  const { clock, opened } = options
  const attemptMsMax = options.attemptMsMax ?? ATTEMPT_MS_MAX
  const addresses = openAddressBook({ opened, clock, nameServers: [] })
  const agent = new Agent({
    connect: vettedConnector({ addresses, opened, timeoutMs: CONNECT_MS_MAX }),
    allowH2: false,
    // Unbounded per host, because many tenants may share one; the rota bounds what is in flight.
    connections: null,
    pipelining: 1,
    // Shorter than what common servers keep, so that a request rarely meets a socket that is being closed.
    keepAliveTimeout: 4000,
    keepAliveMaxTimeout: 60_000,
    // Backstops only: these timers are coarse, the signal below is the budget.
    headersTimeout: attemptMsMax + 1000,
    bodyTimeout: attemptMsMax + 1000,
  })
  return {
    transmit: (request) => transmit(agent, clock, attemptMsMax, request),
    close() {
      addresses.close()
      return agent.destroy()
    },
  }
}

async function transmit(
  agent: Agent,
  clock: Clock,
  attemptMsMax: number,
  request: DeliveryRequest,
): Promise<AttemptOutcome> {
  const startedAt = clock.nowMs()
  const startedNs = clock.monotonicNs()
  const budget = new AbortController()
  const timer = clock.after(attemptMsMax, () => budget.abort())
  const elapsedMs = (): number => Math.round((clock.monotonicNs() - startedNs) / 1e6)
  let status: number | null = null
  let answeredMs: number | null = null
  let errorClass: ErrorClass | null = null
  let body = ''
  try {
    const response = await agent.request({
      origin: request.url.origin,
      path: request.url.pathname + request.url.search,
      method: 'POST',
      headers: request.headers,
      body: request.body,
      signal: budget.signal,
    })
    status = response.statusCode
    answeredMs = elapsedMs()
    if (!answeredWell(status)) errorClass = 'http'
    body = await readStart(response.body)
  } catch (error) {
    errorClass = budget.signal.aborted ? 'timeout' : errorClassOf(error)
  } finally {
    timer.cancel()
  }
  const durationMs = elapsedMs()
  const answer = { answeredMs, status, errorClass, body: loggable(body) }
  return { startedAt, durationMs, connectedMs: null, retryAfterMs: null, ...answer }
}

// The status already decided: a body that drips, breaks off or is endless changes nothing any more.
async function readStart(stream: Dispatcher.ResponseData['body']): Promise<string> {
  const chunks: Buffer[] = []
  let bytes = 0
  try {
    for await (const chunk of stream) {
      chunks.push(chunk)
      bytes += chunk.length
      // Leaving the loop destroys the stream and with it the connection.
      if (bytes >= RESPONSE_BYTES_MAX) break
    }
  } catch (error) {
    chunks.push(Buffer.from('\n[body broke off: ' + errorClassOf(error) + ']'))
  }
  return Buffer.concat(chunks).toString('utf8')
}

// PostgreSQL takes no NUL in text, and a receiver may echo what must not be kept.
function loggable(body: string): string {
  return withoutPans(body.slice(0, LOGGED_CHARACTERS_MAX)).toWellFormed().replaceAll('\0', '\uFFFD')
}

const ERROR_CLASSES: readonly [RegExp, ErrorClass][] = [
  [
    /^(UND_ERR_CONNECT_TIMEOUT|ECONNREFUSED|EHOSTUNREACH|ENETUNREACH|EADDRNOTAVAIL|ETIMEDOUT)$/,
    'connect',
  ],
  [/^(UND_ERR_(HEADERS|BODY)_TIMEOUT|UND_ERR_ABORTED|ABORT_ERR)$/, 'timeout'],
  [/^(UND_ERR_SOCKET|ECONNRESET|EPIPE|ECONNABORTED)$/, 'reset'],
  [/^(ERR_TLS_|ERR_SSL_|CERT_|EPROTO|SELF_SIGNED|DEPTH_ZERO|UNABLE_TO_|HOSTNAME_)/, 'tls'],
  [/^(HPE_|UND_ERR_)/, 'invalid_response'],
]

/** The class of whatever a request was rejected with; `connect` when nothing better is known. */
function errorClassOf(error: unknown): ErrorClass {
  if (error instanceof ConnectRefusal)
    return error.problem === 'blocked_address' ? 'blocked_address' : 'dns'
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  return ERROR_CLASSES.find(([pattern]) => pattern.test(code))?.[1] ?? 'connect'
}
