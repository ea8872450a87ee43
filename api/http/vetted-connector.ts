// Connects undici to tenants: only to vetted addresses, all answers of a name together, and the
// reached address is compared once more. TLS 1.2 or newer, verified; HTTP/1.1.
import { isIP, type LookupFunction } from 'node:net'
import { createSecureContext, getCACertificates } from 'node:tls'
import buildConnector from 'undici/lib/core/connect.js'
import { addressAllowed, type Cidr } from '../../shared/address.ts'
import type { AddressBook, HostProblem } from '../../shared/address-book.ts'

const TLS_SESSIONS_MAX = 2000
/** Milliseconds until the next address of a host is tried in parallel. */
const NEXT_ADDRESS_AFTER_MS = 250
/** The receiver was not reached; any other failure before a secure connection counts as TLS. */
const NOT_REACHED =
  /^(UND_ERR_CONNECT_TIMEOUT|ECONNREFUSED|EHOSTUNREACH|EHOSTDOWN|ENETUNREACH|ENETDOWN|EADDRNOTAVAIL|ETIMEDOUT|EACCES|EPERM|EMFILE|ENFILE|ENOBUFS)$/

/** Error of a connect that the guard refuses, or whose name has no address. */
export class ConnectRefusal extends Error {
  override readonly name = 'ConnectRefusal'
  readonly problem: HostProblem

  constructor(problem: HostProblem, hostname: string) {
    super(problem + ': ' + hostname)
    this.problem = problem
  }
}

/** TLS failed: the certificate, the version, or the receiver hung up meanwhile. */
export class HandshakeFailure extends Error {
  override readonly name = 'HandshakeFailure'
  readonly code: string

  constructor(code: string) {
    super(code)
    this.code = code
  }
}

export interface VettedConnectorOptions {
  addresses: AddressBook
  /** Ranges opened on purpose: SVC_WEBHOOK_ALLOW_CIDRS. */
  opened: readonly Cidr[]
  timeoutMs: number
  /** PEM certificates trusted in addition to Node's. */
  trustedRoots?: readonly string[]
}

export function vettedConnector(options: VettedConnectorOptions): buildConnector.connector {
  const { addresses, opened, timeoutMs, trustedRoots = [] } = options
  const connect = buildConnector({
    lookup: pinnedLookup(addresses),
    allowH2: false,
    timeout: timeoutMs,
    maxCachedSessions: TLS_SESSIONS_MAX,
    // Built once: loading the trusted roots costs milliseconds.
    secureContext: createSecureContext({
      minVersion: 'TLSv1.2',
      ...(trustedRoots.length === 0 ? {} : { ca: [...getCACertificates(), ...trustedRoots] }),
    }),
    rejectUnauthorized: true,
    autoSelectFamily: true,
    autoSelectFamilyAttemptTimeout: NEXT_ADDRESS_AFTER_MS,
  })
  return (target, callback) => {
    const { hostname } = target
    // A literal never reaches lookup, so it is vetted here.
    const literal = hostname.startsWith('[') ? hostname.slice(1, -1) : hostname
    if (isIP(literal) !== 0 && !addressAllowed(literal, opened)) {
      // Deferred: undici ignores an answer that comes before its connect call returns.
      queueMicrotask(() => callback(new ConnectRefusal('blocked_address', hostname), null))
      return
    }
    connect(target, (...[error, socket]: Parameters<buildConnector.Callback>) => {
      if (error !== null) return callback(connectError(error, target.protocol), null)
      if (addressAllowed(socket.remoteAddress ?? '', opened)) return callback(null, socket)
      socket.destroy()
      callback(new ConnectRefusal('blocked_address', hostname), null)
    })
  }
}

function connectError(error: Error, protocol: string): Error {
  if (protocol !== 'https:' || error instanceof ConnectRefusal) return error
  const code = 'code' in error ? String(error.code) : error.name
  return NOT_REACHED.test(code) ? error : new HandshakeFailure(code)
}

/** Prevents DNS rebinding: the socket connects only to the vetted addresses. */
function pinnedLookup(addresses: AddressBook): LookupFunction {
  return (hostname, { all }, give) => {
    void addresses.find(hostname).then((found) => {
      if (!found.ok) return give(new ConnectRefusal(found.problem, hostname), '')
      const pinned = found.addresses.map((address) => ({ address, family: isIP(address) }))
      const [first] = pinned
      if (all === true) give(null, pinned)
      else give(null, first?.address ?? '', first?.family ?? 0)
    })
  }
}
