// The walk in a circle through the lines of all endpoints: finds what addressing did not announce, which is retries, recovered
// deliveries and other dispatchers' leftovers, and how long the oldest of it is due.
import type { EpochMs } from '../../shared/clock.ts'
import type { Sql } from '../database/pool.ts'
import { type DueEndpoint, findDueEndpoints, type LineHead } from './claim.ts'

/** Pauses while there is nothing to do: new work is noticed this much later at the latest. */
const IDLE_MS = 100
const PAGE_MS = 10

export class Scan {
  #cursor: LineHead | null = null
  #oldest = Number.POSITIVE_INFINITY
  #oldestOfCircle = Number.POSITIVE_INFINITY

  /** When the oldest was due that waited in the last whole circle; null where nothing did. */
  get oldestDueAt(): EpochMs | null {
    return Number.isFinite(this.#oldestOfCircle) ? this.#oldestOfCircle : null
  }

  /** Endpoints of the next page with something due, and how long to pause behind it. */
  async next(
    sql: Sql,
    now: EpochMs,
  ): Promise<{ endpoints: readonly DueEndpoint[]; pauseMs: number }> {
    const { endpoints, last } = await findDueEndpoints(sql, this.#cursor, now)
    this.#cursor = last
    for (const { dueAt } of endpoints) this.#oldest = Math.min(this.#oldest, dueAt)
    if (last === null) {
      this.#oldestOfCircle = this.#oldest
      this.#oldest = Number.POSITIVE_INFINITY
    }
    return { endpoints, pauseMs: last === null ? IDLE_MS : PAGE_MS }
  }
}
