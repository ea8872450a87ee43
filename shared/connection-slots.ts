// Bounds the connections of a port: in all, per address, and over all addresses without an
// authenticated connection. A port under pressure closes the oldest unauthenticated connection of
// the address with most of them, so a newcomer always gets a slot and an authenticated connection
// keeps its own.
import type { BlockList } from 'node:net'
import { type Cidr, cidrsText } from './address.ts'
import { addressHolder, addressRanges, inRanges, plainAddress } from './peer-address.ts'

export interface SlotLimits {
  /** Connections at once. */
  max: number
  /** Unauthenticated connections at once, over all addresses that have never authenticated. */
  strangersMax: number
  /** Connections of one address at once; of IPv6 a /64 counts as one. */
  addressMax: number
  /**
   * Slots, of the port and of each address, that authenticated connections never take from
   * newcomers; absent: none.
   */
  reserved?: number
}

export interface SlotOptions extends SlotLimits {
  /** `port` in the metrics. */
  name: string
  /** Addresses that may connect; empty: all. */
  allowed: readonly Cidr[]
  /**
   * Addresses that are known from the start and have no limit of their own, such as those of
   * reverse proxies.
   */
  trusted?: readonly Cidr[]
}

/** One open connection, as the port counts it. */
export interface Slot {
  readonly holder: string
  /** Closes the connection at once. */
  readonly evict: () => void
  authenticated: boolean
  released: boolean
}

type RefusalReason = 'not_allowed' | 'address_full' | 'port_full' | 'evicted'

type HandshakeFailure = 'timeout' | 'closed' | 'certificate' | 'protocol' | 'other'

interface Holder {
  open: number
  /** Connections that it may have at once. */
  readonly max: number
  known: boolean
  /** Its unauthenticated connections, oldest first. */
  pending: Set<Slot>
}

/** Addresses remembered after their last connection closed; the oldest is forgotten first. */
const KNOWN_MAX = 4096

export class ConnectionSlots {
  readonly #options: SlotOptions
  readonly #allowed: BlockList | null
  readonly #trusted: BlockList
  readonly #holders = new Map<string, Holder>()
  /** Holders that have authenticated, in the order in which they last did. */
  readonly #known = new Set<string>()
  readonly #refused: { [Reason in RefusalReason]: number } = {
    not_allowed: 0,
    address_full: 0,
    port_full: 0,
    evicted: 0,
  }
  readonly #handshakes: { [Reason in HandshakeFailure]: number } = {
    timeout: 0,
    closed: 0,
    certificate: 0,
    protocol: 0,
    other: 0,
  }
  #open = 0
  #authenticated = 0
  /** Unauthenticated connections of unknown holders. */
  #strangers = 0

  constructor(options: SlotOptions) {
    this.#options = options
    this.#allowed = cidrsText(options.allowed) === '' ? null : addressRanges(options.allowed)
    this.#trusted = addressRanges(options.trusted ?? [])
  }

  /** Connections that are open. */
  get open(): number {
    return this.#open
  }

  /**
   * A slot for a new connection from this address, or null where it has to be closed. May call
   * `evict` of another connection, never its own before it returns.
   */
  admit(remoteAddress: string | undefined, evict: () => void): Slot | null {
    const address = plainAddress(remoteAddress ?? '')
    if (this.#allowed !== null && (address === null || !inRanges(this.#allowed, address)))
      return this.#refuse('not_allowed')
    const name = addressHolder(address)
    const trusted = address !== null && inRanges(this.#trusted, address)
    const known = trusted || this.#known.has(name)
    const { max, strangersMax } = this.#options
    const addressMax = trusted ? Number.POSITIVE_INFINITY : this.#options.addressMax
    const full = this.#holders.get(name)
    if (full !== undefined && full.open >= addressMax && !this.#evictFrom(full))
      return this.#refuse('address_full')
    if (!known && this.#strangers >= strangersMax) this.#evictFrom(this.#fullest())
    if (this.#open >= max && !this.#evictFrom(this.#fullest())) return this.#refuse('port_full')
    const holder = this.#holders.get(name) ?? newHolder(addressMax, known)
    this.#holders.set(name, holder)
    const slot: Slot = { holder: name, evict, authenticated: false, released: false }
    holder.open += 1
    holder.pending.add(slot)
    this.#open += 1
    if (!holder.known) this.#strangers += 1
    return slot
  }

  /**
   * Marks the peer of this connection as authenticated. Its address is known from now on, and the
   * slot is never reclaimed unless it is a reserved one.
   */
  authenticate(slot: Slot): void {
    if (slot.authenticated || slot.released) return
    const holder = this.#holders.get(slot.holder)
    if (holder === undefined) return
    if (!holder.known) {
      this.#strangers -= holder.pending.size
      holder.known = true
    }
    this.#remember(slot.holder)
    const { max, reserved = 0 } = this.#options
    if (this.#authenticated >= max - reserved) return
    if (holder.open - holder.pending.size >= holder.max - reserved) return
    slot.authenticated = true
    this.#authenticated += 1
    holder.pending.delete(slot)
  }

  /** The connection has closed. A second call does nothing. */
  release(slot: Slot): void {
    if (slot.released) return
    slot.released = true
    const holder = this.#holders.get(slot.holder)
    if (holder === undefined) return
    this.#open -= 1
    if (slot.authenticated) this.#authenticated -= 1
    holder.open -= 1
    if (holder.pending.delete(slot) && !holder.known) this.#strangers -= 1
    if (holder.open === 0) this.#holders.delete(slot.holder)
  }

  /**
   * Connections that were refused, and unauthenticated ones that were closed for others, by reason.
   */
  get refused(): { readonly [reason: string]: number } {
    return this.#refused
  }

  /** Counts a TLS handshake that failed with this code of Node or OpenSSL. */
  countFailedHandshake(code: string | undefined): void {
    this.#handshakes[handshakeFailure(code ?? '')] += 1
  }

  /** TLS handshakes that failed, by reason. */
  get failedHandshakes(): { readonly [reason: string]: number } {
    return this.#handshakes
  }

  /** `port` in the metrics. */
  get name(): string {
    return this.#options.name
  }

  #refuse(reason: RefusalReason): null {
    this.#refused[reason] += 1
    return null
  }

  #remember(name: string): void {
    this.#known.delete(name)
    this.#known.add(name)
    if (this.#known.size <= KNOWN_MAX) return
    for (const oldest of this.#known) {
      this.#known.delete(oldest)
      return
    }
  }

  /**
   * The holder whose unauthenticated connections are closed first: the unknown one with most of
   * them.
   */
  #fullest(): Holder | null {
    let fullest: Holder | null = null
    for (const holder of this.#holders.values()) {
      if (holder.pending.size === 0) continue
      if (fullest === null || isEvictedBefore(holder, fullest)) fullest = holder
    }
    return fullest
  }

  /** Closes the oldest unauthenticated connection of the holder; false where it has none. */
  #evictFrom(holder: Holder | null): boolean {
    for (const slot of holder?.pending ?? []) {
      this.#refused.evicted += 1
      this.release(slot)
      slot.evict()
      return true
    }
    return false
  }
}

/** Bounded: a peer chooses the code of its failure. */
function handshakeFailure(code: string): HandshakeFailure {
  if (code === 'ERR_TLS_HANDSHAKE_TIMEOUT') return 'timeout'
  if (code === 'ECONNRESET' || code === 'EPIPE') return 'closed'
  if (/CERT|UNKNOWN_CA|ISSUER/.test(code)) return 'certificate'
  return code.startsWith('ERR_SSL_') ? 'protocol' : 'other'
}

function newHolder(max: number, known: boolean): Holder {
  return { open: 0, max, known, pending: new Set() }
}

function isEvictedBefore(one: Holder, other: Holder): boolean {
  if (one.known !== other.known) return !one.known
  return one.pending.size > other.pending.size
}

/** Lines for `GET /metrics` about the connections of these ports. */
export function connectionMetrics(ports: readonly ConnectionSlots[]): string {
  const open = ports.map((port) => 'svc_open_connections{port="' + port.name + '"} ' + port.open)
  const refused = ports.flatMap((port) =>
    Object.entries(port.refused).map(
      ([reason, count]) =>
        'svc_connections_refused_total{port="' + port.name + '",reason="' + reason + '"} ' + count,
    ),
  )
  const handshakes = ports.flatMap((port) =>
    Object.entries(port.failedHandshakes).map(
      ([reason, count]) =>
        'svc_tls_handshakes_failed_total{port="' +
        port.name +
        '",reason="' +
        reason +
        '"} ' +
        count,
    ),
  )
  return [
    '# HELP svc_open_connections Connections that are open.',
    '# TYPE svc_open_connections gauge',
    ...open,
    '# HELP svc_connections_refused_total Connections closed because of a limit or an address.',
    '# TYPE svc_connections_refused_total counter',
    ...refused,
    '# HELP svc_tls_handshakes_failed_total TLS handshakes that failed, by reason.',
    '# TYPE svc_tls_handshakes_failed_total counter',
    ...handshakes,
    '',
  ].join('\n')
}
