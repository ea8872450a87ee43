// The network port byte by byte: writes what no HTTP client would, and returns the responses.
import { connect, type Socket } from 'node:net'
import { connect as connectTls } from 'node:tls'
import { sleep, systemClock } from '../../shared/clock.ts'
import { signatureHeader } from '../../shared/signature.ts'
import { NETWORK_SECRET, newMessage, type TestEngine } from './engine.ts'

/** Longer than the library waits for a sender that stops in the middle. */
const WAIT_MS_MAX = 60_000
const REPEATS_MAX = 50

export interface RawExchange {
  text: string
  /** Status of every response, in order. */
  statuses: number[]
  /** False: we gave up waiting. */
  closed: boolean
  tookMs: number
}

export interface RawPeer {
  localAddress?: string
  /** May write more, once the first bytes are written. */
  afterwards?(socket: Socket): void
  waitMsMax?: number
  /** Speaks TLS, and believes any certificate. */
  secured?: boolean
  /** True if the test expects an overload. */
  overloadIsAnswer?: boolean
}

export function portOf(engine: { url: string }): number {
  return Number(new URL(engine.url).port)
}

/**
 * Sends the bytes and listens until the server closes the connection. On a busy machine a disk is
 * sometimes slow: a request that met an overload is sent again, as a network does.
 */
export async function exchange(
  port: number,
  bytes: string | Buffer,
  peer: RawPeer = {},
): Promise<RawExchange> {
  for (let attempt = 1; ; attempt++) {
    const answer = await exchangeOnce(port, bytes, peer)
    const overloaded = answer.text.includes('"code":"overloaded"') && peer.overloadIsAnswer !== true
    if (!overloaded || attempt === REPEATS_MAX) return answer
    await sleep(50)
  }
}

function exchangeOnce(port: number, bytes: string | Buffer, peer: RawPeer): Promise<RawExchange> {
  return new Promise((resolve) => {
    const startedNs = systemClock.monotonicNs()
    let text = ''
    const to = {
      port,
      host: '127.0.0.1',
      ...(peer.localAddress === undefined ? {} : { localAddress: peer.localAddress }),
    }
    const socket =
      peer.secured === true ? connectTls({ ...to, rejectUnauthorized: false }) : connect(to)
    const end = (closed: boolean): void => {
      deadline.cancel()
      socket.destroy()
      const statuses = [...text.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map((match) => Number(match[1]))
      resolve({ text, statuses, closed, tookMs: (systemClock.monotonicNs() - startedNs) / 1e6 })
    }
    const deadline = systemClock.after(peer.waitMsMax ?? WAIT_MS_MAX, () => end(false))
    socket.setNoDelay()
    socket.on('connect', () => {
      socket.write(bytes)
      peer.afterwards?.(socket)
    })
    socket.on('data', (chunk) => {
      text += chunk
    })
    // A reset also closes the connection.
    socket.on('error', () => undefined)
    socket.on('close', () => end(true))
  })
}

/** Request line and headers of a signed message, without the empty line. */
export function headOf(body: string | Buffer, change: { requestLine?: string } = {}): string {
  const signed = signatureHeader([NETWORK_SECRET], Math.floor(systemClock.nowMs() / 1000), body)
  const requestLine = change.requestLine ?? 'POST /v1/network/messages HTTP/1.1'
  return requestLine + '\r\nHost: engine\r\nSvc-Signature: ' + signed + '\r\n'
}

/** A whole signed request. */
export function requestOf(body: string, headers = ''): string {
  return headOf(body) + headers + 'Content-Length: ' + Buffer.byteLength(body) + '\r\n\r\n' + body
}

/** An ordinary message as text. */
export function messageText(): string {
  return JSON.stringify(newMessage())
}

/** True if an ordinary purchase is still answered. */
export async function answersStill(engine: TestEngine): Promise<boolean> {
  return (await engine.purchase()).approved
}
