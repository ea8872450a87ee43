// Cached knowledge of the credentials in use, in memory. PostgreSQL notifies of every change
// (0013), so that every process refuses a revoked key within milliseconds; while no process could
// receive a notice, nothing is cached.
import type { Clock } from '../../../shared/clock.ts'
import type { Sql } from '../../database/pool.ts'
import { type KnownSession, loadSession } from '../sessions/index.ts'
import {
  type KnownKey,
  type KnownOperator,
  type KnownToken,
  loadKey,
  loadOperator,
  loadToken,
} from './load.ts'

/** Milliseconds a cached credential survives a missed notice. */
const TTL_MS = 10_000
/**
 * Cache time for unknown credentials: guesses reach PostgreSQL no more often than this, and take no
 * more memory than that.
 */
const NOBODY_TTL_MS = 1000
const NOBODY_MAX = 10_000
const KNOWN_MAX = 200_000
const TENANT = 'tenant:'
const GRANT = 'grant:'
const CLIENT = 'client:'
const SESSION = 'session:'
const IDENTITY = 'identity:'
/** Channel of the notices from 0013. */
export const CREDENTIAL_CHANNEL = 'auth'

interface Entry<Known> {
  known: Known | null
  untilMs: number
}

export class Credentials {
  readonly #keys: Memory<KnownKey>
  readonly #tokens: Memory<KnownToken>
  readonly #operators: Memory<KnownOperator>
  readonly #sessions: Memory<KnownSession>
  #changed = (): void => undefined

  /** Remembers nothing before `listening` is called. */
  constructor(sql: Sql, clock: Clock) {
    this.#keys = new Memory(clock, (hash) => loadKey(sql, hash))
    this.#tokens = new Memory(clock, (hash) => loadToken(sql, hash))
    this.#operators = new Memory(clock, (hash) => loadOperator(sql, hash))
    this.#sessions = new Memory(clock, (hash) => loadSession(sql, hash))
  }

  /**
   * Looks up by the hex of the credential's hash; null for an unknown credential. A cached one
   * returns synchronously.
   */
  key(hash: string): KnownKey | null | Promise<KnownKey | null> {
    return this.#keys.find(hash)
  }

  /** An access token of a platform. */
  token(hash: string): KnownToken | null | Promise<KnownToken | null> {
    return this.#tokens.find(hash)
  }

  operator(hash: string): KnownOperator | null | Promise<KnownOperator | null> {
    return this.#operators.find(hash)
  }

  session(hash: string): KnownSession | null | Promise<KnownSession | null> {
    return this.#sessions.find(hash)
  }

  /** Calls `changed` after each change of a credential that this process hears of. */
  onChange(changed: () => void): void {
    this.#changed = changed
  }

  /** From now on every change is heard; entries read earlier may be stale. */
  listening(): void {
    this.#keys.listening(true)
    this.#tokens.listening(true)
    this.#operators.listening(true)
    this.#sessions.listening(true)
    this.#changed()
  }

  deaf(): void {
    this.#keys.listening(false)
    this.#tokens.listening(false)
    this.#operators.listening(false)
    this.#sessions.listening(false)
  }

  /**
   * The payload of the channel: the hex of a hash, `tenant:`, `grant:`, `client:` or `identity:`
   * and an id, `session:` and the hex of a hash, or an empty text for everything.
   */
  forget(payload: string): void {
    this.#purge(payload)
    this.#changed()
  }

  #purge(payload: string): void {
    if (payload.startsWith(TENANT)) {
      const tenantId = payload.slice(TENANT.length)
      this.#keys.purgeWhere(({ principal }) => principal.tenantId === tenantId)
      this.#tokens.purgeWhere(({ principal }) => principal.tenantId === tenantId)
    } else if (payload.startsWith(GRANT)) {
      const grantId = payload.slice(GRANT.length)
      this.#tokens.purgeWhere((token) => token.grantId === grantId)
    } else if (payload.startsWith(CLIENT)) {
      const clientId = payload.slice(CLIENT.length)
      this.#tokens.purgeWhere(({ principal }) => principal.credential.id === clientId)
    } else if (payload.startsWith(SESSION)) {
      this.#sessions.forget(payload.slice(SESSION.length))
    } else if (payload.startsWith(IDENTITY)) {
      const identityId = payload.slice(IDENTITY.length)
      this.#sessions.purgeWhere(({ identity }) => identity.id === identityId)
    } else if (payload === '') {
      this.#sessions.purgeWhere(() => true)
      this.#keys.purgeWhere(() => true)
      this.#tokens.purgeWhere(() => true)
      this.#operators.purgeWhere(() => true)
    } else {
      this.#keys.forget(payload)
      this.#operators.forget(payload)
    }
  }
}

class Memory<Known> {
  readonly #entries = new Map<string, Entry<Known>>()
  readonly #nobody = new Map<string, Entry<Known>>()
  /**
   * One load per hash. If a load is no longer in this map when it ends, its result predates a
   * change.
   */
  readonly #loads = new Map<string, Promise<Known | null>>()
  readonly #clock: Clock
  readonly #load: (hash: Buffer) => Promise<Known | null>
  #listening = false

  constructor(clock: Clock, load: (hash: Buffer) => Promise<Known | null>) {
    this.#clock = clock
    this.#load = load
  }

  find(hash: string): Known | null | Promise<Known | null> {
    if (!this.#listening) return this.#load(Buffer.from(hash, 'hex'))
    const entry = this.#entries.get(hash) ?? this.#nobody.get(hash)
    if (entry !== undefined && this.#nowMs() < entry.untilMs) return entry.known
    return this.#loads.get(hash) ?? this.#begin(hash)
  }

  listening(listening: boolean): void {
    this.#listening = listening
    this.purgeWhere(() => true)
  }

  forget(hash: string): void {
    this.#entries.delete(hash)
    this.#nobody.delete(hash)
    this.#loads.delete(hash)
  }

  /** A load in progress may also match. */
  purgeWhere(meant: (known: Known) => boolean): void {
    this.#loads.clear()
    this.#nobody.clear()
    for (const [hash, { known }] of this.#entries) {
      if (known !== null && meant(known)) this.#entries.delete(hash)
    }
  }

  #begin(hash: string): Promise<Known | null> {
    const load: Promise<Known | null> = this.#load(Buffer.from(hash, 'hex')).then(
      (known) => {
        if (this.#settle(hash, load)) this.#remember(hash, known)
        return known
      },
      (error) => {
        this.#settle(hash, load)
        throw error
      },
    )
    this.#loads.set(hash, load)
    return load
  }

  /** Returns true when nothing has changed since the load began. */
  #settle(hash: string, load: Promise<Known | null>): boolean {
    return this.#loads.get(hash) === load && this.#loads.delete(hash)
  }

  #remember(hash: string, known: Known | null): void {
    const [entries, most] = known === null ? [this.#nobody, NOBODY_MAX] : [this.#entries, KNOWN_MAX]
    if (entries.size >= most) entries.clear()
    const ttlMs = known === null ? NOBODY_TTL_MS : TTL_MS
    entries.set(hash, { known, untilMs: this.#nowMs() + ttlMs })
  }

  #nowMs(): number {
    return this.#clock.monotonicNs() / 1e6
  }
}
