// Where a tenant's host name may lead: every DNS answer is vetted, the vetted ones are pinned, and what was reached is
// compared once more. Names go to c-ares with timeouts, never to dns.lookup: two hanging names block every lookup of a
// process there.
import { Resolver } from 'node:dns/promises'
import { isIP, type LookupFunction } from 'node:net'
import { buildConnector } from 'undici'
import { addressAllowed, type Cidr, isLocalhostName } from './address.ts'
import type { Result } from './result.ts'

const ADDRESSES_MAX = 16
const TLS_SESSIONS_MAX = 2000

export interface PinnedAddress {
  address: string
  family: 4 | 6
}

/** `dns`: no answer in time or none at all. `blocked_address`: at least one answer may not be reached. */
export type ConnectProblem = 'dns' | 'blocked_address'

/** What a connect fails with when the guard refuses it. */
export class ConnectRefusal extends Error {
  override readonly name = 'ConnectRefusal'
  readonly problem: ConnectProblem

  constructor(problem: ConnectProblem, hostname: string) {
    super(problem + ': ' + hostname)
    this.problem = problem
  }
}

export type ResolveVetted = (
  hostname: string,
) => Promise<Result<readonly PinnedAddress[], ConnectProblem>>

export interface ResolverOptions {
  /** Ranges opened on purpose: SVC_WEBHOOK_ALLOW_CIDRS. */
  opened: readonly Cidr[]
  /** Of one query; c-ares asks twice. */
  timeoutMs: number
  /** `ip:port` of the name servers; the system's when absent. */
  servers?: readonly string[]
}

/** Resolves A and AAAA side by side. One forbidden answer refuses the name: a rebinding host gets no second chance. */
export function createResolver(options: ResolverOptions): ResolveVetted {
  const resolver = new Resolver({ timeout: options.timeoutMs, tries: 2 })
  if (options.servers !== undefined) resolver.setServers(options.servers)

  return async (hostname) => {
    const answers = localAnswers(hostname) ?? (await ask(resolver, hostname))
    if (answers.length === 0) return { ok: false, error: 'dns' }
    if (!answers.every(({ address }) => addressAllowed(address, options.opened)))
      return { ok: false, error: 'blocked_address' }
    return { ok: true, value: answers.slice(0, ADDRESSES_MAX) }
  }
}

// c-ares does not know literals, and /etc/hosts is not asked: localhost means what RFC 6761 says.
function localAnswers(hostname: string): PinnedAddress[] | null {
  const bare = hostname.startsWith('[') && hostname.endsWith(']') ? hostname.slice(1, -1) : hostname
  const family = isIP(bare)
  if (family === 4 || family === 6) return [{ address: bare, family }]
  return isLocalhostName(bare) ? [{ address: '127.0.0.1', family: 4 }] : null
}

async function ask(resolver: Resolver, hostname: string): Promise<PinnedAddress[]> {
  const none = (): string[] => []
  const [old, modern] = await Promise.all([
    resolver.resolve4(hostname).catch(none),
    resolver.resolve6(hostname).catch(none),
  ])
  return [
    ...old.map((address) => ({ address, family: 4 as const })),
    ...modern.map((address) => ({ address, family: 6 as const })),
  ]
}

export interface VettedConnectOptions {
  resolve: ResolveVetted
  opened: readonly Cidr[]
  connectTimeoutMs: number
}

/** A connector for undici: TLS 1.2 or newer and verified, HTTP/1.1, only to addresses that were vetted. */
export function vettedConnector(options: VettedConnectOptions): buildConnector.connector {
  const lookup: LookupFunction = (hostname, { all }, callback) => {
    void options.resolve(hostname).then((resolved) => {
      if (!resolved.ok) return callback(new ConnectRefusal(resolved.error, hostname), '')
      const [first] = resolved.value
      if (all === true) callback(null, [...resolved.value])
      else callback(null, first?.address ?? '', first?.family ?? 4)
    })
  }
  const connect = buildConnector({
    lookup,
    allowH2: false,
    timeout: options.connectTimeoutMs,
    maxCachedSessions: TLS_SESSIONS_MAX,
    minVersion: 'TLSv1.2',
    rejectUnauthorized: true,
    autoSelectFamily: true,
    autoSelectFamilyAttemptTimeout: 250,
  })
  return (target, callback) => {
    // A literal never reaches lookup, so it is vetted here.
    const literal = target.hostname.startsWith('[') ? target.hostname.slice(1, -1) : target.hostname
    if (isIP(literal) !== 0 && !addressAllowed(literal, options.opened)) {
      // Not at once: undici ignores an answer that is there before its connect call returns.
      queueMicrotask(() => callback(new ConnectRefusal('blocked_address', target.hostname), null))
      return
    }
    connect(target, (...[error, socket]: Parameters<buildConnector.Callback>) => {
      if (error !== null) return callback(error, null)
      if (addressAllowed(socket.remoteAddress ?? '', options.opened)) return callback(null, socket)
      socket.destroy()
      callback(new ConnectRefusal('blocked_address', target.hostname), null)
    })
  }
}
