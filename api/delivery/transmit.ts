// Signed request → outcome. One POST, no redirect, 15 seconds for everything; decides on the status alone. Sent once more at
// once, and that is no attempt of its own, where a kept connection turns out to be closed: nobody saw the request.
import { Agent, type buildConnector, Client } from 'undici'
import type { Cidr } from '../../shared/address.ts'
import { openAddressBook } from '../../shared/address-book.ts'
import type { Clock } from '../../shared/clock.ts'
import { withoutPans } from '../../shared/log.ts'
import type { DeliveryRequest } from './compose.ts'
import type { AttemptOutcome, ErrorClass } from './delivery.ts'
import { errorClassOf } from './error-class.ts'
import { type Exchange, exchange } from './exchange.ts'
import { retryAfterMs } from './retry-after.ts'
import { answeredWell } from './verdict.ts'
import { vettedConnector } from './vetted-connector.ts'

/** DESIGN 9: success is a 2xx within this, connecting included. */
export const ATTEMPT_MS_MAX = 15_000
const CONNECT_MS_MAX = 5000
/** Bounds how long an address stays in use after its name moved away. */
const CONNECTION_AGE_MS_MAX = 5 * 60_000
/** How much of the response body the attempt log keeps. */
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
  /** Name servers as `address` or `address:port`; without them, those of the machine. */
  nameServers?: readonly string[]
  /** PEM certificates trusted besides those Node trusts. */
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
    // Unbounded per host, because many tenants may share one; the rota bounds what is in flight.
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
  // Shorter than what common servers keep, so that a request rarely meets a socket that is being closed.
  keepAliveTimeout: 4000,
  keepAliveMaxTimeout: 60_000,
  // The exchange keeps the only limit in time: these timers are coarse.
  headersTimeout: 0,
  bodyTimeout: 0,
}

/** On a connection that is opened for it and closed after it. */
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

// The status decides as soon as it is there: a body that drips, breaks off or is endless changes nothing any more.
function classOf(status: number | null, error: Error | null): ErrorClass | null {
  if (status !== null) return answeredWell(status) ? null : 'http'
  return errorClassOf(error)
}

// PostgreSQL takes no NUL in text, and a receiver may echo what must not be kept; a number is looked for before it is cut.
function loggable({ bytes, status, error }: Exchange): string {
  const text = withoutPans(bytes.toString('utf8')).slice(0, LOGGED_CHARACTERS_MAX)
  const broken = status !== null && error !== null
  const note = broken ? '\n[body broke off: ' + errorClassOf(error) + ']' : ''
  return (text + note).toWellFormed().replaceAll('\0', '\uFFFD')
}
