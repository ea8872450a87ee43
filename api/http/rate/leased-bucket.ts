// A tenant's bucket in this process. The bucket itself is a row of PostgreSQL that all processes
// share; each takes a few tokens in advance and spends them without asking. Therefore no number of
// processes admits a call too many; a process may refuse one too early while another holds unused
// tokens.
import {
  capacity,
  type RateLimitStatus,
  rateLimitStatusOf,
  refill,
  type Verdict,
  waitMs,
} from './token-bucket.ts'

/** Chosen: part of a minute's limit that a process takes at a time. */
const CHUNK = 0.05
/** Chosen: tokens unspent by then count as spent for the other processes. */
const LEASE_MS = 10_000

export interface LeaseRequest {
  tenantId: string
  environment: string
  bucket: string
  /** Still held here. */
  kept: number
  /** Less than nothing: given back. */
  wanted: number
  limit: number
  leaseMs: number
}

/** Tokens granted by the shared row, and the level left in it. */
export interface Lease {
  granted: number
  level: number
}

export interface LeaseWorld {
  /** Milliseconds of a clock that never goes back. */
  nowMs(): number
  lease(request: LeaseRequest): Promise<Lease>
}

export class LeasedBucket {
  readonly #world: LeaseWorld
  readonly #name: Pick<LeaseRequest, 'tenantId' | 'environment' | 'bucket'>
  #limit: number
  /** Ours to spend until `#untilMs`. */
  #held = 0
  #untilMs = -1
  /** The row's level at the last answer; before the first one a full bucket is assumed. */
  #level: number
  #levelAtMs: number
  #renewal: Promise<void> | null = null

  constructor(
    world: LeaseWorld,
    name: Pick<LeaseRequest, 'tenantId' | 'environment' | 'bucket'>,
    limit: number,
  ) {
    this.#world = world
    this.#name = name
    this.#limit = limit
    this.#level = capacity(limit)
    this.#levelAtMs = world.nowMs()
  }

  /** Takes one token: at once where one is held, or where it is known that there is none. */
  take(limit: number): Verdict | Promise<Verdict> {
    this.#limit = limit
    const nowMs = this.#world.nowMs()
    const verdict = this.#tryAt(nowMs)
    if (verdict === null) return this.#takeRenewed()
    if (this.#held <= this.#chunk() / 2 && this.#levelAt(nowMs) >= 1) {
      // This renewal runs ahead of time; after a failure, the call that needs it tries again and
      // reports it.
      this.#renew().catch(() => {})
    }
    return verdict
  }

  rateLimitStatus(): RateLimitStatus {
    return this.#statusAt(this.#world.nowMs())
  }

  /** Returns the unspent tokens, so that other processes have them at once. */
  async giveBack(): Promise<void> {
    await this.#renewal?.catch(() => {})
    const kept = this.#held
    if (kept < 1 || this.#world.nowMs() >= this.#untilMs) return
    this.#held = 0
    await this.#world.lease({ ...this.#request(kept), wanted: -kept })
  }

  async #takeRenewed(): Promise<Verdict> {
    for (;;) {
      await this.#renew()
      const verdict = this.#tryAt(this.#world.nowMs())
      if (verdict !== null) return verdict
    }
  }

  /** Null where only the row can tell. */
  #tryAt(nowMs: number): Verdict | null {
    if (this.#held >= 1 && nowMs < this.#untilMs) {
      this.#held -= 1
      return { waitMs: 0, rateLimitStatus: this.#statusAt(nowMs) }
    }
    const level = this.#levelAt(nowMs)
    if (this.#held >= 1 || level >= 1) return null
    return { waitMs: waitMs(level, this.#limit), rateLimitStatus: this.#statusAt(nowMs) }
  }

  #levelAt(nowMs: number): number {
    return Math.min(
      capacity(this.#limit) - this.#held,
      this.#level + refill(this.#limit, nowMs - this.#levelAtMs),
    )
  }

  #statusAt(nowMs: number): RateLimitStatus {
    const { bucket: resource } = this.#name
    return rateLimitStatusOf(resource, this.#limit, this.#held + this.#levelAt(nowMs))
  }

  #chunk(): number {
    return Math.max(1, Math.floor(this.#limit * CHUNK))
  }

  #renew(): Promise<void> {
    this.#renewal ??= this.#ask().finally(() => {
      this.#renewal = null
    })
    return this.#renewal
  }

  #request(kept: number): Omit<LeaseRequest, 'wanted'> {
    return { ...this.#name, kept, limit: this.#limit, leaseMs: LEASE_MS }
  }

  /**
   * Tokens spent meanwhile were held: the row keeps counting them until it is told otherwise. The
   * grant is negative if they were kept too long, and those spent by then are owed.
   */
  async #ask(): Promise<void> {
    const askedAtMs = this.#world.nowMs()
    const { granted, level } = await this.#world.lease({
      ...this.#request(Math.max(0, this.#held)),
      wanted: Math.max(0, this.#chunk() - this.#held),
    })
    this.#held += granted
    this.#untilMs = askedAtMs + LEASE_MS
    this.#level = level
    this.#levelAtMs = this.#world.nowMs()
  }
}
