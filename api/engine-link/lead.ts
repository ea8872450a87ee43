// One API process at a time links to the engine: the one with a session advisory lock on its own
// connection. Two processes that both believe in the lead for a moment are still safe: the engine
// and the journal cursor accept only data that continues from them.
import { sleep } from '../../shared/clock.ts'
import { withDeadline } from '../database/deadline.ts'
import type { Sql } from '../database/pool.ts'

const LEAD_LOCK = 7_820_301
/** The first half of the lock of a member; the other is its id. */
const MEMBER_LOCKS = 7_820_302
/** Milliseconds until a dead leader is replaced, and a lost connection noticed, roughly. */
const LEAD_POLL_MS = 500
const LEAD_ANSWER_MS_MAX = 2000

/** A dedicated connection that holds the lock. */
export interface Lead {
  sql: Sql
  backend: number
}

/**
 * Waits until the lead is ours; null when the signal aborts. The pool must have one connection. The
 * lead over a member of a shard is a lock of its own, null: over the only engine, or the drain.
 */
export async function takeLead(
  sql: Sql,
  memberId: string | null,
  signal: AbortSignal,
): Promise<Lead | null> {
  while (!signal.aborted) {
    const [row] = await withDeadline(
      sql<{ held: boolean; backend: number }[]>`
        select case when ${memberId}::text is null then pg_try_advisory_lock(${LEAD_LOCK})
            else pg_try_advisory_lock(${MEMBER_LOCKS}, hashtext(${memberId}::text)) end as held,
          pg_backend_pid() as backend
      `,
      LEAD_ANSWER_MS_MAX,
    )
    if (row?.held) return { sql, backend: row.backend }
    await sleep(LEAD_POLL_MS, signal)
  }
  return null
}

/** Returns when the signal aborts; rejects once the connection that holds the lock is gone. */
export async function keepLead({ sql, backend }: Lead, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    const [row] = await withDeadline(
      sql<{ backend: number }[]>`select pg_backend_pid() as backend`,
      LEAD_ANSWER_MS_MAX,
    )
    if (row?.backend !== backend) throw new Error('the connection that held the lead was lost')
    await sleep(LEAD_POLL_MS, signal)
  }
}
