// Deletes changes that the engine has. Removals stay: a row that returns under an old id continues
// their versions.
import type { Sql } from '../database/pool.ts'

/**
 * Returns the number of deleted changes. The horizon moves past the last of them in the same
 * statement, so that an older cursor is recognized and answered with a full copy.
 */
export async function pruneChanges(sql: Sql, cursor: string): Promise<number> {
  const [row] = await sql<{ count: number }[]>`
    with gone as (
      delete from config_change
      where xid < pg_snapshot_xmin(${cursor}::text::pg_snapshot) and not removed
      returning xid
    ), last as (
      select (xid::text::bigint + 1)::text::xid8 as horizon from gone order by xid desc limit 1
    ), moved as (
      update config_horizon set xid = last.horizon from last where config_horizon.xid < last.horizon
    )
    select count(*) as count from gone
  `
  return row?.count ?? 0
}
