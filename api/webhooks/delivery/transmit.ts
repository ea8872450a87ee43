// Signed request → outcome. One POST, no redirect, 15 seconds in total; the status alone decides.
// When a kept connection turns out to be closed, the request is sent once more at once, and that is
// no attempt of its own: no receiver saw the request.
import type { buildConnector } from 'undici'
import Agent from 'undici/lib/dispatcher/agent.js'
import Client from 'undici/lib/dispatcher/client.js'
import type { Cidr } from '../../../shared/address.ts'
import { openAddressBook } from '../../../shared/address-book.ts'
import type { Clock } from '../../../shared/clock.ts'
import { withoutPans } from '../../../shared/log.ts'
import { vettedConnector } from '../../http/vetted-connector.ts'
import type { DeliveryRequest } from './compose.ts'
import type { AttemptOutcome, ErrorClass } from './delivery.ts'
import { errorClassOf } from './error-class.ts'
import { type Exchange, exchange } from './exchange.ts'
import { retryAfterMs } from './retry-after.ts'
import { answeredWell } from './verdict.ts'

/** Milliseconds within which a 2xx is a success, connecting included. */
export const ATTEMPT_MS_MAX = 15_000
const CONNECT_MS_MAX = 5000
/** Bounds how long an address stays in use after its name changed. */
const CONNECTION_AGE_MS_MAX = 5 * 60_000
/** Most characters of the response body that the attempt log keeps. */
const LOGGED_CHARACTERS_MAX = 1024

export interface Transmitter {
  transmit(request: DeliveryRequest): Promise<AttemptOutcome>
  /** Ends every connection, also those in use. */
  close(): Promise<void>
}

export interface TransmitterOptions {
  clock: Clock
  /** Private ranges tenant endpoints may use. */
  opened: readonly Cidr[]
  /** Name servers as `address` or `address:port`; without them, the machine's own. */
  nameServers?: readonly string[]
  /** PEM certificates trusted in addition to Node's. */
  trustedRoots?: readonly string[]
  attemptMsMax?: number
}

export function createTransmitter(options: TransmitterOptions): Transmitter {
  const { clock, opened, nameServers = [], trustedRoots = [] } = options
  const attemptMsMax = options.attemptMsMax ?? ATTEMPT_MS_MAX
  const addresses = openAddressBook({ opened, clock, nameServers })
  const connect = vettedConnector({ addresses, opened, timeoutMs: CONNECT_MS_MAX, trustedRoots })
  const agent = new Agent({
    ...CLIENT_OPTIONS,
    connect,
    // Unbounded per host, because many tenants may share one; the rota bounds the deliveries in
    // flight.
    connections: null,
    pipelining: 1,
    clientTtl: CONNECTION_AGE_MS_MAX,
  })
  return {
    async transmit(request) {
      const startedAt = clock.nowMs()
      const startedNs = clock.monotonicNs()
      const elapsedMs = (): number => Math.round((clock.monotonicNs() - startedNs) / 1e6)
      let ended = await exchange(agent, request, { clock, msMax: attemptMsMax })
      if (ended.stale) {
        const msMax = Math.max(1, attemptMsMax - elapsedMs())
        ended = await exchangeAfresh(connect, request, { clock, msMax })
      }
      return outcomeOf(ended, { startedAt, durationMs: elapsedMs(), endedAt: clock.nowMs() })
    },
    close() {
      addresses.close()
      return agent.destroy()
    },
  }
}

const CLIENT_OPTIONS = {
  allowH2: false,
  // Shorter than the keep-alive of common servers, so that a request rarely meets a closing socket.
  keepAliveTimeout: 4000,
  keepAliveMaxTimeout: 60_000,
  // The exchange enforces the only time limit: these timers are coarse.
  headersTimeout: 0,
  bodyTimeout: 0,
}

/** Uses a connection that is opened for this request and closed after it. */
async function exchangeAfresh(
  connect: buildConnector.connector,
  request: DeliveryRequest,
  limits: { clock: Clock; msMax: number },
): Promise<Exchange> {
  const client = new Client(request.url.origin, { ...CLIENT_OPTIONS, connect, pipelining: 0 })
  try {
    return await exchange(client, request, limits)
  } finally {
    void client.destroy()
  }
}

function outcomeOf(
  ended: Exchange,
  times: { startedAt: number; durationMs: number; endedAt: number },
): AttemptOutcome {
  const { startedAt, durationMs, endedAt } = times
  const { error, status, connectedMs, answeredMs, retryAfter } = ended
  return {
    startedAt,
    durationMs,
    connectedMs,
    answeredMs,
    status,
    errorClass: classOf(status, error),
    retryAfterMs: status === null ? null : retryAfterMs(status, retryAfter, endedAt),
    body: loggable(ended),
  }
}

// The status decides as soon as it arrives: a body that drips, breaks off or never ends changes
// nothing.
function classOf(status: number | null, error: Error | null): ErrorClass | null {
  if (status !== null) return answeredWell(status) ? null : 'http'
  return errorClassOf(error)
}

// PostgreSQL takes no NUL in text, and a receiver may echo data that must not be kept; the search
// for a card number comes before the cut.
function loggable({ bytes, status, error }: Exchange): string {
  const text = withoutPans(bytes.toString('utf8')).slice(0, LOGGED_CHARACTERS_MAX)
  const broken = status !== null && error !== null
  const note = broken ? '\n[body broke off: ' + errorClassOf(error) + ']' : ''
  return (text + note).toWellFormed().replaceAll('\0', '\uFFFD')
}
