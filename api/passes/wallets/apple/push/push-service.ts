// Apple's push service: tells devices that a pass has changed, over one HTTP/2 connection whose
// client certificate is that of the pass type. A push carries no content: the device then fetches
// the pass. Every failure is a value.
import {
  type ClientHttp2Session,
  type ClientHttp2Stream,
  connect,
  constants,
  type IncomingHttpHeaders,
} from 'node:http2'
import { isIP, type LookupFunction } from 'node:net'
import { getCACertificates } from 'node:tls'
import { parseCidrs } from '../../../../../shared/address.ts'
import { type AddressBook, openAddressBook } from '../../../../../shared/address-book.ts'
import type { Clock } from '../../../../../shared/clock.ts'
import { later, type PushOutcome, retryAfterMs } from '../../pushes.ts'
import type { AppleIssuer } from '../issuer.ts'

const { HTTP2_HEADER_METHOD, HTTP2_HEADER_PATH, HTTP2_HEADER_STATUS, NGHTTP2_CANCEL } = constants

/** Chosen: concurrent pushes; the service may allow fewer. */
const PUSHES_UNDER_WAY_MAX = 200
const ANSWER_MS_MAX = 10_000
const ANSWER_BYTES_MAX = 4096
/** The client closes a connection that was idle for this long, before a middlebox drops it. */
const IDLE_MS_MAX = 5 * 60_000
const PAYLOAD = '{}'
/** The installation's operator chose the address, so any address is allowed. */
const EVERYWHERE = parseCidrs('0.0.0.0/0,::/0')

export interface PushSettings {
  /** Identity for pushes: the pass type's certificate, and the pass type as topic. */
  issuer: Pick<AppleIssuer, 'certificates' | 'passType'>
  /** Address of Apple's push service: `https://host[:port]`. */
  url: string
  /** PEM of an authority trusted in addition to the public ones, or null. */
  authority: string | null
}

export interface PushServiceOptions extends PushSettings {
  clock: Clock
}

export interface PushService {
  /** Never rejects. At most PUSHES_UNDER_WAY_MAX run at once: further pushes wait. */
  push(token: string): Promise<PushOutcome>
  close(): void
}

/** Connects with the first push, and again with the first push after a connection ended. */
export function openPushService(options: PushServiceOptions): PushService {
  const { clock } = options
  const opened = EVERYWHERE.ok ? EVERYWHERE.value : []
  const addresses = openAddressBook({ opened, clock, nameServers: [] })
  let session: ClientHttp2Session | null = null
  let closed = false
  const line = createLine()
  const connected = (): ClientHttp2Session => {
    if (session !== null && !session.closed && !session.destroyed) return session
    const fresh = dial(options, addresses)
    const forget = (): void => {
      if (session === fresh) session = null
    }
    fresh.on('close', forget).on('goaway', forget)
    session = fresh
    return fresh
  }
  return {
    async push(token) {
      if (closed) return later('closed')
      const leave = await line.enter(PUSHES_UNDER_WAY_MAX)
      try {
        return await pushOnce(connected, token, options)
      } finally {
        leave()
      }
    },
    close() {
      closed = true
      addresses.close()
      session?.destroy()
    },
  }
}

function dial(
  { url, issuer, authority }: PushServiceOptions,
  addresses: AddressBook,
): ClientHttp2Session {
  const { certificate, key } = issuer.certificates
  const session = connect(url, {
    cert: certificate,
    key,
    minVersion: 'TLSv1.2',
    lookup: lookupIn(addresses),
    ...(authority === null ? {} : { ca: [...getCACertificates(), authority] }),
  })
  // Each stream reports the error itself.
  session.on('error', () => {})
  session.setTimeout(IDLE_MS_MAX, () => session.close())
  return session
}

/** Never dns.lookup: a hanging name server would block every other lookup of the process. */
function lookupIn(addresses: AddressBook): LookupFunction {
  return (hostname, { all }, give) => {
    void addresses.find(hostname).then((found) => {
      if (!found.ok) return give(new Error(found.problem), '')
      const known = found.addresses.map((address) => ({ address, family: isIP(address) }))
      const [first] = known
      if (all === true) give(null, known)
      else give(null, first?.address ?? '', first?.family ?? 0)
    })
  }
}

function pushOnce(
  connected: () => ClientHttp2Session,
  token: string,
  { issuer, clock }: PushServiceOptions,
): Promise<PushOutcome> {
  return new Promise((resolve) => {
    const session = connected()
    let stream: ClientHttp2Stream
    try {
      stream = session.request(
        {
          [HTTP2_HEADER_METHOD]: 'POST',
          [HTTP2_HEADER_PATH]: '/3/device/' + token,
          'apns-topic': issuer.passType,
          'content-type': 'application/json',
        },
        { endStream: false },
      )
    } catch (error) {
      resolve(later(codeOf(error)))
      return
    }
    const overdue = clock.after(ANSWER_MS_MAX, () => {
      stream.close(NGHTTP2_CANCEL)
      // A server silent for that long is gone, although the connection is still open.
      session.destroy()
      resolve(later('timeout'))
    })
    let headers: IncomingHttpHeaders | null = null
    let body = ''
    stream.setEncoding('utf8')
    stream.on('response', (received) => {
      headers = received
    })
    stream.on('data', (text: string) => {
      if (body.length < ANSWER_BYTES_MAX) body += text
    })
    stream.on('error', (error) => resolve(later(codeOf(error))))
    stream.on('close', () => {
      overdue.cancel()
      resolve(headers === null ? later('connection_lost') : outcomeOf(headers, body))
    })
    stream.end(PAYLOAD)
  })
}

/** Apple, “Handling notification responses from APNs”. */
export function outcomeOf(headers: IncomingHttpHeaders, body: string): PushOutcome {
  const status = Number(headers[HTTP2_HEADER_STATUS])
  if (status === 200) return { kind: 'taken' }
  const reason = reasonIn(body) ?? 'http_' + status
  if (status === 410 || reason === 'BadDeviceToken' || reason === 'DeviceTokenNotForTopic')
    return { kind: 'gone' }
  if (status === 429 || status >= 500)
    return { kind: 'later', reason, afterMs: retryAfterMs(headers['retry-after']) }
  return { kind: 'refused', reason }
}

function reasonIn(body: string): string | null {
  try {
    const said: unknown = JSON.parse(body)
    const named = typeof said === 'object' && said !== null && 'reason' in said
    return named && typeof said.reason === 'string' && /^\w{1,64}$/.test(said.reason)
      ? said.reason
      : null
  } catch {
    return null
  }
}

/** A stream reports its cancellation; its cause has the reason. */
function codeOf(error: unknown): string {
  if (!(error instanceof Error)) return 'connection_lost'
  if (error.cause !== undefined) return codeOf(error.cause)
  return 'code' in error ? String(error.code) : 'connection_lost'
}

/** Admits a limited number at once, the others in their order. */
function createLine() {
  const waiting: (() => void)[] = []
  let inside = 0
  const leave = (): void => {
    inside -= 1
    waiting.shift()?.()
  }
  return {
    async enter(most: number): Promise<() => void> {
      if (inside >= most) await new Promise<void>((resolve) => waiting.push(resolve))
      inside += 1
      return leave
    },
  }
}
