// The entries of a journal that PostgreSQL has, compared with the journal from which a shard is
// founded anew: an engine would decide others under the sequences that the database passed.
import { connectProblem } from '../../api/database/connect-problem.ts'
import { openPool, type Sql } from '../../api/database/pool.ts'
import { acceptLoss } from '../../api/engine-link/accept-loss.ts'

export interface DrainedInto {
  databaseUrl: string
  /** True: the database gives up the entries that the journal does not hold. */
  force: boolean
}

export interface LongestJournal {
  shard: string
  journalId: string
  firstSeq: number
  lastSeq: number
}

/**
 * Why the shard cannot go on with this journal; null where it can. With `force` the database
 * follows the journal from its end on. No engine of the shard may run.
 */
export async function drainedProblem(
  { databaseUrl, force }: DrainedInto,
  journal: LongestJournal,
): Promise<string | null> {
  const sql = openPool(databaseUrl, { max: 1, applicationName: 'svc-adopt' })
  try {
    return await problemIn(sql, journal, force)
  } catch (error) {
    return connectProblem(error, databaseUrl)
  } finally {
    await sql.end({ timeout: 1 })
  }
}

async function problemIn(
  sql: Sql,
  { shard, journalId, firstSeq, lastSeq }: LongestJournal,
  force: boolean,
): Promise<string | null> {
  const [cursor] = await sql<{ seq: number }[]>`
    select seq from journal_cursor where journal_id = ${journalId}`
  if (cursor === undefined || cursor.seq <= lastSeq) return null
  if (!force)
    return (
      `PostgreSQL has journal ${journalId} up to entry ${cursor.seq}, and the longest journal here ends ` +
      `at ${lastSeq}: decisions that were answered are missing. Adopt with a longer journal, or with ` +
      '--force, which gives them up.'
    )
  const kept = { journal_id: journalId, first_seq: firstSeq, synced_seq: lastSeq }
  const accepted = await acceptLoss(sql, kept, { journalId, shard })
  return accepted.ok ? null : accepted.error
}
