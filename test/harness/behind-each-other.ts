// Calls that meet in the database, in an order that a test chooses.
import type { Sql } from '../../api/database/pool.ts'
import { type TxSql, tx } from '../../api/database/transaction.ts'
import { until } from './until.ts'

/**
 * Each call begins once those before it wait for a lock; then the locks are released. The first
 * call waits for the lock that `hold` takes.
 */
export async function behindEachOther<Value>(
  sql: Sql,
  hold: (sql: TxSql) => Promise<unknown>,
  calls: readonly (() => Promise<Value>)[],
): Promise<Value[]> {
  const begun: Promise<Value>[] = []
  await tx(sql, async (inner) => {
    await hold(inner)
    for (const call of calls) {
      begun.push(call())
      await until(async () => (await waiting(sql)) === begun.length)
    }
  })
  return Promise.all(begun)
}

/** Each look needs its own transaction: within one transaction the view does not change. */
async function waiting(sql: Sql): Promise<number> {
  const found = await sql`
    select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`
  return found.length
}
