// The engine never talks to PostgreSQL: the link tells it the database's clock, a second source for
// the engine's own.
import { type Clock, sleep } from '../../shared/clock.ts'
import { withDeadline } from '../database/deadline.ts'
import { databaseNow } from '../database/now.ts'
import type { Sql } from '../database/pool.ts'
import type { EngineClient } from './client.ts'

const TELL_MS = 2000
const QUERY_MS_MAX = 10_000
/** An answer that took longer says too little about the present. */
const FRESH_MS_MAX = 5000

export interface DatabaseClockParts {
  sql: Sql
  client: EngineClient
  clock: Clock
}

/** Runs until the signal; rejects with the first failure of either side. */
export async function tellDatabaseClock(
  { sql, client, clock }: DatabaseClockParts,
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted) {
    const askedNs = clock.monotonicNs()
    const nowMs = await withDeadline(databaseNow(sql), QUERY_MS_MAX)
    const tookMs = (clock.monotonicNs() - askedNs) / 1e6
    if (tookMs <= FRESH_MS_MAX) await client.databaseSays(nowMs)
    await sleep(TELL_MS, signal)
  }
}
