// How many connections the network port holds, in all and of one address. The HTTP server says that a connection closed, not
// whose it was: the count of an address only grows, until the kernel's own table sets it right. Until then each that closed may
// have been of any address, so that a network that comes back with all its connections at once is let in.
import { createReadStream } from 'node:fs'
import type { Clock } from '../../shared/clock.ts'

export interface ConnectionLimits {
  /** Connections at once. */
  max: number
  /** Connections of one address at once, so that no sender takes all. */
  addressMax: number
}

/** Chosen: a network has a few hundred at most. */
export const CONNECTION_LIMITS: ConnectionLimits = { max: 4096, addressMax: 1024 }
/** The kernel is asked at most this often. */
const RECOUNT_EVERY_NS = 250e6
/** An address is recounted before it is refused: from this share of what it may have. */
const RECOUNT_FROM = 0.5
const TABLES = ['/proc/net/tcp', '/proc/net/tcp6']
/** ESTABLISHED and CLOSE_WAIT: the two states in which a connection is ours to close. */
const OPEN_STATES: ReadonlySet<string> = new Set(['01', '08'])

/** The connections of one port. */
export class Connections {
  readonly #clock: Clock
  readonly #limits: ConnectionLimits
  #open = 0
  #refused = 0
  #ofAddress = new Map<string, number>()
  /** Of all addresses together; what it is above the open ones has closed, nobody knows of whom. */
  #counted = 0
  #recounting = false
  #recountedNs = Number.NEGATIVE_INFINITY

  constructor(clock: Clock, limits: ConnectionLimits) {
    this.#clock = clock
    this.#limits = limits
  }

  /** Counts a new one; false when it has to be closed. `address` is what the peer has, 4 or 16 bytes; `port` is ours. */
  opened(address: Uint8Array, port: number): boolean {
    this.#open += 1
    const name = nameOf(address)
    const count = (this.#ofAddress.get(name) ?? 0) + 1
    const { max, addressMax } = this.#limits
    const departed = Math.max(0, this.#counted - this.#open + 1)
    const admitted = this.#open <= max && count - departed <= addressMax
    // One that is refused closes at once, and that is known to be its own.
    if (admitted) {
      this.#ofAddress.set(name, count)
      this.#counted += 1
    } else this.#refused += 1
    if (count > addressMax * RECOUNT_FROM || this.#ofAddress.size > max) this.#recount(port)
    return admitted
  }

  closed(): void {
    this.#open -= 1
    if (this.#open === 0) this.#setCounts(new Map())
  }

  /** Lines for `GET /metrics`. */
  metrics(): string {
    return (
      '# TYPE svc_open_connections gauge\nsvc_open_connections ' +
      this.#open +
      '\n# TYPE svc_connections_refused_total counter\nsvc_connections_refused_total ' +
      this.#refused +
      '\n'
    )
  }

  /** Where there is no such table, only the sum is limited. */
  #recount(port: number): void {
    const nowNs = this.#clock.monotonicNs()
    if (this.#recounting || nowNs - this.#recountedNs < RECOUNT_EVERY_NS) return
    this.#recounting = true
    const before = new Map(this.#ofAddress)
    countedByKernel(port)
      .then(
        (counted) => {
          // What came while the kernel was asked is added: counted twice at worst, and right again the next time.
          for (const [name, count] of this.#ofAddress) {
            const since = count - (before.get(name) ?? 0)
            if (since > 0) counted.set(name, (counted.get(name) ?? 0) + since)
          }
          this.#setCounts(counted)
        },
        () => this.#setCounts(new Map()),
      )
      .finally(() => {
        this.#recounting = false
        this.#recountedNs = this.#clock.monotonicNs()
      })
  }

  #setCounts(counts: Map<string, number>): void {
    this.#ofAddress = counts
    this.#counted = 0
    for (const count of counts.values()) this.#counted += count
  }
}

/** Open connections of each address to a local port, line by line: the table of a busy machine is long. */
async function countedByKernel(port: number): Promise<Map<string, number>> {
  const counted = new Map<string, number>()
  const local = ':' + port.toString(16).toUpperCase().padStart(4, '0')
  const count = (line: string): void => {
    const [, from = '', to = '', state = ''] = line.trimStart().split(' ', 4)
    if (!from.endsWith(local) || !OPEN_STATES.has(state)) return
    const name = nameOf(bytesOf(to))
    counted.set(name, (counted.get(name) ?? 0) + 1)
  }
  for (const table of TABLES) {
    let rest = ''
    for await (const chunk of createReadStream(table, 'latin1')) {
      const lines = (rest + chunk).split('\n')
      rest = lines.pop() ?? ''
      for (const line of lines) count(line)
    }
  }
  return counted
}

/** `0100007F:1F90`: words of four bytes, each the wrong way round. */
function bytesOf(text: string): Uint8Array {
  const bytes = Buffer.from(text.slice(0, text.indexOf(':')), 'hex')
  return bytes.swap32()
}

/** Chosen: of an IPv6 address only the network counts (64 bits), because a single machine has all addresses in it. */
function nameOf(address: Uint8Array): string {
  const bytes = Buffer.from(address)
  const mapped =
    bytes.length === 16 && bytes.readUIntBE(0, 6) === 0 && bytes.readUInt32BE(8) === 0xffff
  return bytes.toString('latin1', mapped ? 12 : 0, mapped ? 16 : Math.min(8, bytes.length))
}
