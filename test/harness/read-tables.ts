// The reads of tables within a transaction, for tests of plans.
import type { TxSql } from '../../api/database/transaction.ts'

/** Scans and rows read so far, also by earlier transactions of the connection. */
export async function readTables(
  sql: TxSql,
  tables: readonly string[],
): Promise<{ scans: number; rows: number }> {
  const [counts] = await sql<[{ scans: number; rows: number }]>`
    select sum(seq_scan)::integer as scans,
      sum(seq_tup_read + coalesce(idx_tup_fetch, 0))::integer as rows
    from pg_stat_xact_user_tables where relname = any(${[...tables]}::text[])`
  return counts
}
