// Which addresses a tenant's host name has, resolved ahead, vetted and remembered. Asks name
// servers through c-ares and never through dns.lookup: two hanging names would block every lookup
// of the process.
import { Resolver } from 'node:dns/promises'
import { isIP } from 'node:net'
import { addressAllowed, addressesWithoutAsking, type Cidr } from './address.ts'
import { type Clock, type EpochMs, sleep } from './clock.ts'

const QUERY_TIMEOUT_MS = 400
const QUERY_TRIES_MAX = 2
/** RFC 8305: how long the slower of A and AAAA is waited for once the other is there. */
const RESOLUTION_DELAY_MS = 50
const REFRESH_EVERY_MS = 5_000
const REFRESH_AFTER_MS = 20_000
/** Addresses are served this long when their refresh fails. */
const STALE_MS_MAX = 5 * 60_000
/** A name that no caller used for this long is no longer kept fresh. */
const UNUSED_MS_MAX = 10 * 60_000
const NAMES_MAX = 4096

export type HostProblem = 'blocked_address' | 'dns_not_found' | 'dns_timeout' | 'dns_error'

/** All addresses of a host, each of them allowed, or why it has none that may be called. */
export type HostAddresses =
  | { ok: true; addresses: readonly string[] }
  | { ok: false; problem: HostProblem }

export interface AddressBook {
  /**
   * For a host as URL has it, without brackets. Waits for a name server only for a name it does not
   * know yet.
   */
  find(host: string): Promise<HostAddresses>
  close(): void
}

export interface AddressBookOptions {
  opened: readonly Cidr[]
  clock: Clock
  /** Name servers as `address` or `address:port`; empty means those of the machine. */
  nameServers: readonly string[]
}

interface Entry {
  /** The last answer of a name server, and when it came; null until the first. */
  found: HostAddresses | null
  foundAtMs: EpochMs
  usedAtMs: EpochMs
  /** The lookup under way; all callers share it. */
  asking: Promise<HostAddresses> | null
}

/**
 * Opens an empty book that keeps its answers fresh until it is closed. `opened` are the private
 * ranges that may be called.
 */
export function openAddressBook(options: AddressBookOptions): AddressBook {
  const { opened, clock } = options
  const resolver = new Resolver({ timeout: QUERY_TIMEOUT_MS, tries: QUERY_TRIES_MAX })
  if (options.nameServers.length > 0) resolver.setServers(options.nameServers)
  const entries = new Map<string, Entry>()
  let sweep = clock.after(REFRESH_EVERY_MS, refresh)

  /** Keeps used names fresh, so that a call does not wait for a name server; forgets the unused. */
  function refresh(): void {
    const nowMs = clock.nowMs()
    for (const [name, entry] of entries) {
      if (nowMs - entry.usedAtMs > UNUSED_MS_MAX) entries.delete(name)
      else if (nowMs - entry.foundAtMs > REFRESH_AFTER_MS) void ask(name, entry)
    }
    sweep = clock.after(REFRESH_EVERY_MS, refresh)
  }

  function ask(name: string, entry: Entry): Promise<HostAddresses> {
    entry.asking ??= resolve(resolver, name).then((result) => {
      entry.asking = null
      const found = vetted(result, opened)
      // A failure replaces nothing: the last good answer is served until it is too old. A forbidden
      // address does.
      if (found.ok || found.problem === 'blocked_address') {
        entry.found = found
        entry.foundAtMs = clock.nowMs()
      }
      return found
    })
    return entry.asking
  }

  function entryOf(name: string): Entry {
    const known = entries.get(name)
    if (known !== undefined) return known
    if (entries.size >= NAMES_MAX) purgeOldest(entries)
    const entry: Entry = { found: null, foundAtMs: 0, usedAtMs: 0, asking: null }
    entries.set(name, entry)
    return entry
  }

  return {
    async find(host) {
      const known = addressesWithoutAsking(host)
      if (known !== null) return ownAddresses(known, opened)
      const nowMs = clock.nowMs()
      const entry = entryOf(host)
      entry.usedAtMs = nowMs
      if (entry.found !== null && nowMs - entry.foundAtMs <= STALE_MS_MAX) return entry.found
      return ask(host, entry)
    },
    close() {
      sweep.cancel()
      resolver.cancel()
    },
  }
}

/** Insertion order is age enough: a name in use comes back with its next call. */
function purgeOldest(entries: Map<string, Entry>): void {
  for (const name of entries.keys()) {
    entries.delete(name)
    return
  }
}

/**
 * Refused as a whole when any address is forbidden: a name that points inside as well is an attack
 * or a mistake.
 */
function vetted(result: HostAddresses, opened: readonly Cidr[]): HostAddresses {
  if (!result.ok || result.addresses.every((address) => addressAllowed(address, opened))) {
    return result
  }
  return { ok: false, problem: 'blocked_address' }
}

/** As far as they are allowed: of loopback, people open one address or both. */
function ownAddresses(known: readonly string[], opened: readonly Cidr[]): HostAddresses {
  const addresses = known.filter((address) => addressAllowed(address, opened))
  return addresses.length > 0 ? { ok: true, addresses } : { ok: false, problem: 'blocked_address' }
}

/** A and AAAA together, IPv4 first; one family is enough where the other does not answer. */
async function resolve(resolver: Resolver, name: string): Promise<HostAddresses> {
  const found: string[] = []
  const problems: HostProblem[] = []
  const collect = async (query: Promise<string[]>): Promise<void> => {
    try {
      found.push(...(await query))
    } catch (error) {
      problems.push(problemOf(error))
      throw error
    }
  }
  const queries = [collect(resolver.resolve4(name)), collect(resolver.resolve6(name))]
  const eitherAndGrace = Promise.any(queries).then(
    () => sleep(RESOLUTION_DELAY_MS),
    () => undefined,
  )
  await Promise.race([Promise.allSettled(queries), eitherAndGrace])
  if (found.length > 0) {
    const addresses = found.toSorted((left, right) => isIP(left) - isIP(right))
    return { ok: true, addresses }
  }
  return {
    ok: false,
    problem: problems.find((problem) => problem !== 'dns_not_found') ?? 'dns_not_found',
  }
}

function problemOf(error: unknown): HostProblem {
  const code = error instanceof Error && 'code' in error ? error.code : ''
  if (code === 'ENOTFOUND' || code === 'ENODATA' || code === 'EBADNAME') return 'dns_not_found'
  return code === 'ETIMEOUT' ? 'dns_timeout' : 'dns_error'
}
