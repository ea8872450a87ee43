// What is known of the credentials in use, in memory. PostgreSQL rings when any of it changes (0013), so that a revoked key is
// refused in every process within milliseconds; while nobody could hear it ring, nothing is remembered.
import type { Clock } from '../../shared/clock.ts'
import type { Sql } from '../database/pool.ts'
import { type KnownKey, type KnownOperator, loadKey, loadOperator } from './load.ts'

/** Should a bell ever be missed, this is how long that lasts. */
const TTL_MS = 10_000
/** Nobody: guesses do not reach PostgreSQL more often than this, and take no more room than that. */
const NOBODY_TTL_MS = 1000
const NOBODY_MAX = 10_000
const KNOWN_MAX = 200_000
const TENANT = 'tenant:'
/** Where 0013 rings. */
export const CREDENTIAL_CHANNEL = 'auth'

interface Entry<Known> {
  known: Known | null
  untilMs: number
}

export class Credentials {
  readonly #keys: Memory<KnownKey>
  readonly #operators: Memory<KnownOperator>

  /** Remembers nothing before `listening` is called. */
  constructor(sql: Sql, clock: Clock) {
    this.#keys = new Memory(clock, (hash) => loadKey(sql, hash))
    this.#operators = new Memory(clock, (hash) => loadOperator(sql, hash))
  }

  /** By the hex of the credential's hash; null where nobody has it. At once where it is remembered. */
  key(hash: string): KnownKey | null | Promise<KnownKey | null> {
    return this.#keys.find(hash)
  }

  operator(hash: string): KnownOperator | null | Promise<KnownOperator | null> {
    return this.#operators.find(hash)
  }

  /** From now on every change is heard; what was read before may be old. */
  listening(): void {
    this.#keys.listening(true)
    this.#operators.listening(true)
  }

  deaf(): void {
    this.#keys.listening(false)
    this.#operators.listening(false)
  }

  /** What 0013 says: the hex of a hash, `tenant:` and an id, or nothing for everything. */
  forget(payload: string): void {
    if (payload.startsWith(TENANT)) {
      const tenantId = payload.slice(TENANT.length)
      this.#keys.forgetWhere(({ principal }) => principal.tenantId === tenantId)
    } else if (payload === '') {
      this.#keys.forgetWhere(() => true)
      this.#operators.forgetWhere(() => true)
    } else {
      this.#keys.forget(payload)
      this.#operators.forget(payload)
    }
  }
}

class Memory<Known> {
  readonly #entries = new Map<string, Entry<Known>>()
  readonly #nobody = new Map<string, Entry<Known>>()
  /** One per hash. What is no longer in here when it ends was read before something changed. */
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
    this.forgetWhere(() => true)
  }

  forget(hash: string): void {
    this.#entries.delete(hash)
    this.#nobody.delete(hash)
    this.#loads.delete(hash)
  }

  /** Whoever is being loaded may be meant. */
  forgetWhere(meant: (known: Known) => boolean): void {
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

  /** True where nothing has changed since it began. */
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
