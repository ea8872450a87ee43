// One connection to a tenant's host: vetted addresses only, TLS 1.2 or later, verified. It reports
// a value and never throws.
import { connect as connectTcp, isIP, type LookupFunction, type Socket } from 'node:net'
import {
  type ConnectionOptions,
  connect as connectTls,
  createSecureContext,
  getCACertificates,
  type TLSSocket,
} from 'node:tls'
import { addressAllowed, type Cidr } from '../../shared/address.ts'
import type { AddressBook } from '../../shared/address-book.ts'
import { type CallFailure, connectFailure } from './call-failure.ts'

/** Milliseconds until the next address of a host is tried in parallel. */
const NEXT_ADDRESS_AFTER_MS = 250
const TCP_KEEP_ALIVE_MS = 60_000
const TLS_SESSIONS_MAX = 2000

export interface DialResult {
  connected(socket: Socket): void
  failed(failure: CallFailure): void
}

export interface Dialing {
  /**
   * Drops the attempt; no result is reported afterwards. There is no other time limit: the caller
   * keeps one.
   */
  cancel(): void
}

/**
 * Connects to the host of an http or https URL; reports exactly once, never before it has returned.
 */
export type Dial = (url: URL, result: DialResult) => Dialing

export interface DialOptions {
  addresses: AddressBook
  opened: readonly Cidr[]
  /** PEM certificates trusted in addition to Node's. */
  trustedRoots: readonly string[]
}

/** Returns a dial function that remembers TLS sessions per host. Loads the trusted roots once. */
export function openDial(options: DialOptions): Dial {
  const { addresses, opened, trustedRoots } = options
  // Built once: loading the trusted roots costs milliseconds.
  const secureContext = createSecureContext({
    minVersion: 'TLSv1.2',
    ...(trustedRoots.length === 0 ? {} : { ca: [...getCACertificates(), ...trustedRoots] }),
  })
  const sessions = new Map<string, Buffer>()

  return (url, result) => {
    const attempt: Attempt = { ended: false, socket: null }
    const host = url.hostname.startsWith('[') ? url.hostname.slice(1, -1) : url.hostname
    void addresses.find(host).then((found) => {
      if (attempt.ended) return
      if (!found.ok) {
        attempt.ended = true
        result.failed({ outcome: 'connection_error', hint: found.problem })
        return
      }
      const port = Number(url.port === '' ? (url.protocol === 'https:' ? 443 : 80) : url.port)
      const target = { ...SOCKET_OPTIONS, host, port, lookup: pinnedTo(found.addresses) }
      attempt.socket =
        url.protocol === 'https:'
          ? encrypted({ ...target, secureContext }, url.origin, sessions)
          : connectTcp(target)
      follow({ attempt, socket: attempt.socket, secure: url.protocol === 'https:', opened }, result)
    })
    return {
      cancel() {
        attempt.ended = true
        attempt.socket?.destroy()
      },
    }
  }
}

interface Attempt {
  ended: boolean
  socket: Socket | null
}

const SOCKET_OPTIONS = {
  noDelay: true,
  keepAlive: true,
  keepAliveInitialDelay: TCP_KEEP_ALIVE_MS,
  autoSelectFamily: true,
  autoSelectFamilyAttemptTimeout: NEXT_ADDRESS_AFTER_MS,
}

function follow(
  from: { attempt: Attempt; socket: Socket; secure: boolean; opened: readonly Cidr[] },
  result: DialResult,
): void {
  const { attempt, socket, secure, opened } = from
  let handshaking = false
  if (secure) {
    socket.once('connect', () => {
      handshaking = true
    })
  }
  socket.once(secure ? 'secureConnect' : 'connect', () => {
    if (attempt.ended) return
    attempt.ended = true
    // The last defense: whatever chose the address, this check sees the real destination of the
    // bytes.
    if (addressAllowed(socket.remoteAddress ?? '', opened)) return result.connected(socket)
    socket.destroy()
    result.failed({ outcome: 'connection_error', hint: 'blocked_address' })
  })
  // Stays for the life of the socket: an error without an event listener would end the thread.
  socket.on('error', (error) => {
    if (attempt.ended) return
    attempt.ended = true
    result.failed(connectFailure(error, handshaking))
  })
}

/** Resumes the last session with this origin if there is one, and remembers the next. */
function encrypted(
  options: ConnectionOptions & { host: string },
  origin: string,
  sessions: Map<string, Buffer>,
): TLSSocket {
  const session = sessions.get(origin)
  const socket = connectTls({
    ...options,
    rejectUnauthorized: true,
    ALPNProtocols: ['http/1.1'],
    ...(isIP(options.host) === 0 ? { servername: options.host } : {}),
    ...(session === undefined ? {} : { session }),
  })
  socket.on('session', (ticket) => {
    sessions.delete(origin)
    for (const oldest of sessions.keys()) {
      if (sessions.size < TLS_SESSIONS_MAX) break
      sessions.delete(oldest)
    }
    sessions.set(origin, ticket)
  })
  return socket
}

/** No rebinding: the socket connects only to the vetted addresses. */
function pinnedTo(addresses: readonly string[]): LookupFunction {
  const all = addresses.map((address) => ({ address, family: isIP(address) }))
  return (_host, options, give) => {
    const first = all[0]
    if (options.all === true) give(null, all)
    else if (first !== undefined) give(null, first.address, first.family)
  }
}
