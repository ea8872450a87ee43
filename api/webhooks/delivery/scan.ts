// Walks in a circle through the queues of all endpoints: finds the deliveries that addressing did
// not announce (retries, recovered deliveries and other dispatchers' leftovers), and how long the
// oldest is due.
import type { EpochMs } from '../../../shared/clock.ts'
import type { Sql } from '../../database/pool.ts'
import { type DueEndpoint, findDueEndpoints, type LineHead } from './claim.ts'

/** Milliseconds of pause while idle: the longest delay until new work is noticed. */
const IDLE_MS = 100
const PAGE_MS = 10

export class Scan {
  #cursor: LineHead | null = null
  #oldest = Number.POSITIVE_INFINITY
  #oldestOfCircle = Number.POSITIVE_INFINITY

  /** Due time of the oldest waiting delivery in the last whole circle; null when none waited. */
  get oldestDueAt(): EpochMs | null {
    return Number.isFinite(this.#oldestOfCircle) ? this.#oldestOfCircle : null
  }

  /** Returns the next page's endpoints with a due delivery, and the pause after it. */
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
