// A database that was put back from an older copy says that it is the one it was copied from, but its transaction ids begin
// again where the copy ends: to the engine it is another one.
import type { StatusAnswer } from '../../shared/wire/control.ts'
import { withDeadline } from '../database/deadline.ts'
import type { Sql } from '../database/pool.ts'

const QUERY_MS_MAX = 10_000

/**
 * Gives the database a new identity where the engine's facts are of a time that it has not reached yet: they are then pushed in
 * full, like those of any other database. Returns whether it did. A copy that was written to beyond that time before we looked
 * is not recognised; whoever puts one back deletes the engine's facts.
 */
export async function renewIdentity(sql: Sql, status: StatusAnswer): Promise<boolean> {
  const { database_id: databaseId, facts_cursor: cursor } = status
  if (databaseId === null || cursor === null) return false
  const renewed = await withDeadline(
    sql`
      update installation set id = gen_random_uuid()
      where database_identity() = ${databaseId}
        and pg_snapshot_xmax(${cursor}::text::pg_snapshot) > pg_snapshot_xmax(pg_current_snapshot())
      returning 1
    `,
    QUERY_MS_MAX,
  )
  return renewed.length > 0
}
