// Detects a database restored from an older copy: it claims the original's identity, but its
// transaction ids start again where the copy ends, so to the engine it is a different database.
import type { StatusAnswer } from '../../shared/wire/control.ts'
import { withDeadline } from '../database/deadline.ts'
import type { Sql } from '../database/pool.ts'

const QUERY_MS_MAX = 10_000

/**
 * Gives the database a new identity when the engine's config records are of a time that the
 * database has not reached yet: the records are then pushed in full, as for any other database.
 * Returns whether it did. A restored copy that was written beyond that time before this check goes
 * unnoticed; an operator who restores one deletes the engine's config records.
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
