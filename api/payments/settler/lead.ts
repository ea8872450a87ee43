// One settler leads a chain at a time, by a session advisory lock on a connection of its own. The
// lock keeps settlers apart; the epoch in every write keeps the chain's records safe.
import { sleep } from '../../../shared/clock.ts'
import { withDeadline } from '../../database/deadline.ts'
import type { Sql } from '../../database/pool.ts'

const LOCK_CLASS = 7_820_302
const POLL_MS = 500
const ANSWER_MS_MAX = 2000
/** Advisory locks take two numbers of 32 bits. */
const LOCK_BITS = 2 ** 31

/** Waits until the lead is ours; false when the signal aborts. The pool has one connection. */
export async function takeLead(sql: Sql, chainId: number, signal: AbortSignal): Promise<boolean> {
  while (!signal.aborted) {
    const [row] = await withDeadline(
      sql<{ held: boolean }[]>`
        select pg_try_advisory_lock(${LOCK_CLASS}::int, ${chainId % LOCK_BITS}::int) as held`,
      ANSWER_MS_MAX,
    )
    if (row?.held) return true
    await sleep(POLL_MS, signal)
  }
  return false
}
