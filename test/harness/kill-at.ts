// Kills the connection to PostgreSQL of a change at one of its steps.
import type { Sql } from '../../api/database/pool.ts'
import { tx } from '../../api/database/transaction.ts'
import { until } from './until.ts'

/**
 * Kills the connection that waits to write to the table, then lets the table go. Returns the
 * outcome of the work.
 */
export async function killAt<Outcome>(
  sql: Sql,
  table: string,
  work: () => Promise<Outcome>,
): Promise<Outcome> {
  let running: Promise<Outcome> | null = null
  await tx(sql, async (holder) => {
    await holder`lock table ${holder(table)} in share mode`
    running = work()
    let pid = 0
    await until(async () => {
      const [waiting] = await sql<{ pid: number }[]>`
        select pid from pg_locks
        where not granted and relation = ${table}::regclass
          and database = (select oid from pg_database where datname = current_database())`
      pid = waiting?.pid ?? 0
      return pid !== 0
    })
    await sql`select pg_terminate_backend(${pid})`
  })
  if (running === null) throw new Error('nothing was called')
  return running
}
