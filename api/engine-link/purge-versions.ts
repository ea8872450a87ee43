// Deletes versions of config records that no kept entry of any shard's journal can name, in small
// parts.
//
// Chosen: a day lies between the end of a version and the oldest kept entry, because the engine may
// have received the next version later, an authorization request may have waited for its tenant,
// and the clocks of the two machines differ.
import { decodeEntry } from '../../shared/wire/journal-entry.ts'
import { withDeadline } from '../database/deadline.ts'
import type { Sql } from '../database/pool.ts'
import type { Job } from '../jobs/job.ts'
import { type EngineClient, EngineError } from './client.ts'

const LOOK_MS = 10 * 60_000
const MARGIN_MS = 24 * 3_600_000
/** The first entry may be no decision; a page of this many bytes holds one. */
const PAGE_BYTES = 64 * 1024
const QUERY_MS_MAX = 10_000
const GONE = 410

type Client = Pick<EngineClient, 'status' | 'journal'>

export function purgeVersionsJob(client: Client, shard: string): Job {
  return {
    name: 'purge_versions',
    every: LOOK_MS,
    lease: LOOK_MS,
    batch: 1000,
    async run({ sql, batch, now }) {
      const oldest = await oldestDecision(client)
      // Later decisions of a journal without entries name versions of now or later.
      await noteOldest(sql, shard, oldest === 'none' ? Math.floor(now) : oldest)
      return typeof oldest === 'number' ? purgeBefore(sql, oldest - MARGIN_MS, batch) : 0
    },
  }
}

/**
 * Receipt of the oldest decision that the journal keeps, by our own clock; null when unknown,
 * `none` where it keeps no entry.
 */
async function oldestDecision(client: Client): Promise<number | null | 'none'> {
  const { first_seq: firstSeq, synced_seq: syncedSeq } = await client.status()
  if (firstSeq > syncedSeq) return 'none'
  try {
    const { entries } = await client.journal(firstSeq, PAGE_BYTES)
    for (const bytes of entries) {
      const entry = decodeEntry(bytes)
      if (entry.kind === 'decision') return entry.receivedAtMs - entry.clockOffsetMs
    }
    return null
  } catch (error) {
    // The engine dropped the entries meanwhile; the next look finds others.
    if (error instanceof EngineError && error.status === GONE) return null
    throw error
  }
}

/** An unknown one leaves what was known: a journal only loses its oldest entries. */
async function noteOldest(sql: Sql, shard: string, oldestMs: number | null): Promise<void> {
  await withDeadline(
    sql`
      update journal_cursor set oldest_ms = coalesce(${oldestMs}, oldest_ms)
      where shard = ${shard}`,
    QUERY_MS_MAX,
  )
}

/** Deletes nothing while a shard has not said which entries it keeps. */
async function purgeBefore(sql: Sql, moment: number, most: number): Promise<number> {
  const gone = await withDeadline(
    sql`
      delete from config_history where (type, id, version) in (
        select type, id, version from config_history
        where until_at < (
          select least(${moment}::bigint, min(coalesce(oldest_ms - ${MARGIN_MS}::bigint, 0)))
          from journal_cursor
        )
        order by until_at limit ${most}
      )`,
    QUERY_MS_MAX,
  )
  return gone.count
}
