// How many calls a minute, per bucket. A tenant's count in its environment over all its keys and
// all processes; those of an address count in this process.
import type { Clock } from '../../../shared/clock.ts'
import { randomSecret } from '../../../shared/id.ts'
import { addressHolder } from '../../../shared/peer-address.ts'
import type { Principal } from '../../context.ts'
import type { Sql } from '../../database/pool.ts'
import type { Bucket } from '../route.ts'
import { LeasedBucket, type LeaseWorld } from './leased-bucket.ts'
import { lease } from './store.ts'
import { type RateLimitStatus, TokenBucket, type Verdict } from './token-bucket.ts'

/** Calls per minute. Spec 8; `count` and what follows it are Chosen. */
export const LIMITS: { readonly [bucket in Bucket]: number } = {
  read: 1000,
  passes_write: 500,
  cards_write: 200,
  settlements_write: 100,
  templates_write: 60,
  count: 60,
  payments_write: 500,
  admin_write: 60,
  auth: 60,
}
/** Chosen: refused credentials per address. A caller with a right one is not slowed by them. */
const UNAUTHENTICATED_LIMIT = 60
/**
 * Chosen: calls with a tenant's publishable key per address, so that one visitor of a page cannot
 * use up the shared limit.
 */
const VISITOR_LIMIT = 100
/**
 * Chosen: reads of the dashboard per person, apart from the tenant's own: people and integrations
 * never starve each other.
 */
const DASHBOARD_LIMIT = 600
/** Chosen: calls of wallets per address: the devices of many holders may share one. */
const DEVICE_LIMIT = 600
/**
 * Number of buckets in memory; beyond it the oldest is dropped. Its tenant loses the tokens it held
 * until the bucket refills.
 */
const BUCKETS_MAX = 20_000

/** Owner of a bucket: a tenant in an environment, or an operator. */
export interface Payer {
  tenantId: string
  environment: string
  /** How many times the usual limit. */
  factor: number
}

export class Limits {
  readonly #world: LeaseWorld
  readonly #leased = new Map<string, LeasedBucket>()
  readonly #ofAddresses = new Map<string, TokenBucket>()

  constructor(sql: Sql, clock: Clock) {
    const process = randomSecret(9)
    this.#world = {
      nowMs: () => clock.monotonicNs() / 1e6,
      lease: (request) => lease(sql, process, request),
    }
  }

  /**
   * Takes one call from a payer's bucket. Asks PostgreSQL only where this process holds none of its
   * tokens.
   */
  take(payer: Payer, bucket: Bucket): Verdict | Promise<Verdict> {
    return this.#bucketOf(payer, bucket).take(LIMITS[bucket] * payer.factor)
  }

  rateLimitStatus(payer: Payer, bucket: Bucket): RateLimitStatus {
    return this.#bucketOf(payer, bucket).rateLimitStatus()
  }

  /** For a refused credential. */
  takeUnauthenticated(address: string | null): Verdict {
    const nowMs = this.#world.nowMs()
    return this.#unauthenticated(address, nowMs).take(nowMs)
  }

  /** How an address stands that has shown no right credential. */
  unauthenticated(address: string | null): RateLimitStatus {
    const nowMs = this.#world.nowMs()
    return this.#unauthenticated(address, nowMs).rateLimitStatus(nowMs)
  }

  /** For a call with a publishable key: each visitor of a page has a part of its own. */
  takeVisitor({ tenantId, environment }: Payer, bucket: Bucket, address: string | null): Verdict {
    const nowMs = this.#world.nowMs()
    const name = [tenantId, environment, addressHolder(address)].join(' ')
    const make = (): TokenBucket => new TokenBucket(bucket, VISITOR_LIMIT, nowMs)
    return kept(this.#ofAddresses, name, make).take(nowMs)
  }

  /** For a read of the dashboard. */
  takePerson({ credential }: Pick<Principal, 'credential'>): Verdict {
    const nowMs = this.#world.nowMs()
    const make = (): TokenBucket => new TokenBucket('dashboard', DASHBOARD_LIMIT, nowMs)
    return kept(this.#ofAddresses, 'dashboard ' + credential.id, make).take(nowMs)
  }

  /** For a call of a device that has a pass. */
  takeDevice(address: string | null): Verdict {
    const nowMs = this.#world.nowMs()
    const make = (): TokenBucket => new TokenBucket('wallets', DEVICE_LIMIT, nowMs)
    return kept(this.#ofAddresses, 'wallets ' + addressHolder(address), make).take(nowMs)
  }

  /** For a call of an endpoint whose callers are told apart by a name and their address. */
  takeByAddress(
    { resource, limit, name }: { resource: string; limit: number; name: string },
    address: string | null,
  ): Verdict {
    const nowMs = this.#world.nowMs()
    const make = (): TokenBucket => new TokenBucket(resource, limit, nowMs)
    const key = [resource, name, addressHolder(address)].join(' ')
    return kept(this.#ofAddresses, key, make).take(nowMs)
  }

  /**
   * Returns the tokens that this process took from shared buckets in advance. Tokens that cannot be
   * returned expire by themselves.
   */
  async close(): Promise<void> {
    await Promise.allSettled([...this.#leased.values()].map((bucket) => bucket.giveBack()))
  }

  #unauthenticated(address: string | null, nowMs: number): TokenBucket {
    return kept(
      this.#ofAddresses,
      addressHolder(address),
      () => new TokenBucket('unauthenticated', UNAUTHENTICATED_LIMIT, nowMs),
    )
  }

  #bucketOf({ tenantId, environment, factor }: Payer, bucket: Bucket): LeasedBucket {
    const make = (): LeasedBucket =>
      new LeasedBucket(this.#world, { tenantId, environment, bucket }, LIMITS[bucket] * factor)
    return kept(this.#leased, tenantId + environment + bucket, make)
  }
}

function kept<Value>(map: Map<string, Value>, name: string, make: () => Value): Value {
  const held = map.get(name)
  if (held !== undefined) return held
  const [oldest] = map.size >= BUCKETS_MAX ? map.keys() : []
  if (oldest !== undefined) map.delete(oldest)
  const made = make()
  map.set(name, made)
  return made
}
