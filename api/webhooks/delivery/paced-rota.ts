// The rota, and beside it the endpoints for which their tenant has no permit yet. They are claimed
// again when it may have one, so that no claim is made in vain.
import type { EpochMs } from '../../../shared/clock.ts'
import type { Lane } from '../../../shared/event-catalog.ts'
import type { DueEndpoint } from './claim.ts'
import type { PacedClaim, WaitingEndpoint } from './claim-paced.ts'
import type { Effect } from './concurrency-limit.ts'
import { createFairScheduler, type FairScheduler, type Share, type Turn } from './fair-scheduler.ts'
import type { Pacing } from './pace.ts'

/**
 * Between two looks for new permits: those that several tenants get shortly after each other are
 * granted together.
 */
const PERMITS_MS = 5

export class PacedRota {
  readonly #scheduler: FairScheduler = createFairScheduler()
  readonly #pacing: Pacing
  /** In the order in which they come back. */
  readonly #parked = new Map<string, WaitingEndpoint>()

  constructor(pacing: Pacing) {
    this.#pacing = pacing
  }

  /** As the rota's; an endpoint that waits for a permit is not marked. */
  mark({ tenantId, endpointId, lane }: DueEndpoint): void {
    if (this.#passes(endpointId, lane)) this.#scheduler.mark(tenantId, endpointId)
  }

  admit(turn: Turn): boolean {
    return this.#passes(turn.endpointId, turn.lane) && this.#scheduler.admit(turn)
  }

  finished(turn: Turn, effect: Effect): void {
    this.#scheduler.finished(turn, effect)
  }

  /**
   * Shares of endpoints whose tenants may have permits, at most `slotsMax` slots. They are taken
   * until `claimed` tells.
   */
  take(slotsMax: number): readonly Share[] {
    this.#reopen(this.#pacing.nowMs())
    const pass: Share[] = []
    for (const share of this.#scheduler.take(slotsMax)) {
      if (this.#passes(share.endpointId, 0)) pass.push(share)
      else this.#scheduler.claimed(share, [])
    }
    return pass
  }

  /** Records the results of shares that were taken together. */
  claimed(shares: readonly Share[], { leased, waiting }: PacedClaim): void {
    const of = Map.groupBy(leased, ({ endpointId }) => endpointId)
    for (const share of shares) this.#scheduler.claimed(share, of.get(share.endpointId) ?? [])
    for (const endpoint of waiting) {
      this.#parked.delete(endpoint.endpointId)
      this.#parked.set(endpoint.endpointId, endpoint)
    }
  }

  /** Milliseconds until the next endpoint may have a permit, `mostMs` where none waits for one. */
  untilPermits(mostMs: number): number {
    let at: EpochMs = Number.POSITIVE_INFINITY
    for (const endpoint of this.#parked.values()) at = Math.min(at, endpoint.at)
    return Math.max(PERMITS_MS, Math.min(mostMs, at - this.#pacing.nowMs()))
  }

  /** Where only bulk waits for a permit, the first lane passes it. */
  #passes(endpointId: string, lane: Lane): boolean {
    const parked = this.#parked.get(endpointId)
    return parked === undefined || lane < parked.lane
  }

  #reopen(now: EpochMs): void {
    for (const endpoint of [...this.#parked.values()].filter(({ at }) => at <= now)) {
      this.#parked.delete(endpoint.endpointId)
      this.mark(endpoint)
    }
  }
}
