// The database's clock.
import type { EpochMs } from '../../shared/clock.ts'
import type { Sql } from './pool.ts'

/** The moment by the database's clock, not by its transaction. */
export async function databaseNow(sql: Sql): Promise<EpochMs> {
  const [row] = await sql<[{ now: EpochMs }]>`
    select (extract(epoch from clock_timestamp()) * 1000)::bigint as now
  `
  return row.now
}
