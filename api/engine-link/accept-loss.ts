// An operator's decision: from now on the database follows the engine's present journal, and gives
// up the remaining entries of the named one. The engine attaches by itself within seconds.
import type { Result } from '../../shared/result.ts'
import type { StatusAnswer } from '../../shared/wire/control.ts'
import type { Sql } from '../database/pool.ts'
import { type TxSql, tx } from '../database/transaction.ts'

export interface AcceptedLoss {
  journalId: string
  /** The drain continues after this entry. */
  seq: number
}

/** The engine's journal, and the entries that it still keeps. */
type KeptEntries = Pick<StatusAnswer, 'journal_id' | 'first_seq' | 'synced_seq'>

/**
 * `shard` is that of the engine. Refuses when the database does not follow the named journal: the
 * decision must name the journal that is really lost.
 */
export async function acceptLoss(
  sql: Sql,
  engine: KeptEntries,
  named: { journalId: string; shard: string },
): Promise<Result<AcceptedLoss, string>> {
  return tx(sql, (inner) => decide(inner, engine, named))
}

async function decide(
  sql: TxSql,
  engine: KeptEntries,
  { journalId, shard }: { journalId: string; shard: string },
): Promise<Result<AcceptedLoss, string>> {
  const cursors = await sql<{ shard: string; journal_id: string; seq: number }[]>`
    select shard, journal_id, seq from journal_cursor order by shard for update
  `
  const known = cursors.find((cursor) => cursor.journal_id === journalId)
  // A database that never followed a journal gives up the entries that the engine no longer keeps.
  const followed = cursors.map((cursor) => cursor.journal_id).join(', ') || engine.journal_id
  if (known === undefined && followed !== journalId)
    return { ok: false, error: `The database follows journal ${followed}, not ${journalId}.` }
  const other = cursors.find((cursor) => cursor.journal_id === engine.journal_id)
  if (other !== undefined && other !== known)
    return { ok: false, error: `Journal ${engine.journal_id} is that of shard ${other.shard}.` }
  const keptFrom = engine.first_seq - 1
  const seq =
    known?.journal_id === engine.journal_id
      ? Math.min(Math.max(known.seq, keptFrom), engine.synced_seq)
      : keptFrom
  await sql`
    insert into journal_cursor (shard, journal_id, seq)
    values (${known?.shard ?? shard}, ${engine.journal_id}, ${seq})
    on conflict (shard) do update set journal_id = excluded.journal_id, seq = excluded.seq
  `
  return { ok: true, value: { journalId: engine.journal_id, seq } }
}
