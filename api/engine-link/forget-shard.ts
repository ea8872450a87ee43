// Takes a shard that is gone for good out of the database: its place in the journal would hold the
// purge of old versions for ever, and new tenants would be placed there.
import type { Result } from '../../shared/result.ts'
import { FIRST_SHARD } from '../../shared/shards.ts'
import type { Sql } from '../database/pool.ts'
import { tx } from '../database/transaction.ts'

export interface Forgotten {
  journalId: string
  /** The last entry that PostgreSQL has; later ones are given up. */
  seq: number
}

/**
 * Forgets the journal position of a shard. The caller knows that no engine of it runs. Refuses with
 * a sentence where a group is still placed there.
 */
export async function forgetShard(sql: Sql, shard: string): Promise<Result<Forgotten, string>> {
  if (shard === FIRST_SHARD)
    return { ok: false, error: 'Groups without a placement belong to ' + FIRST_SHARD + '.' }
  return tx(sql, async (inner) => {
    // No group comes to the shard while it goes.
    await inner`lock table placements in share row exclusive mode`
    const [held] = await inner<{ tenant_id: string; environment: string }[]>`
      select tenant_id, environment from placements
      where shard = ${shard} or moved_from = ${shard}
      union all select tenant_id, environment from programs where shard = ${shard}
      limit 1`
    if (held !== undefined)
      return {
        ok: false,
        error: `Shard ${shard} still decides for ${held.tenant_id} ${held.environment}: move it first.`,
      }
    const [gone] = await inner<{ journal_id: string; seq: number }[]>`
      delete from journal_cursor where shard = ${shard} returning journal_id, seq`
    if (gone === undefined)
      return { ok: false, error: 'No shard ' + shard + ' has given its journal.' }
    return { ok: true, value: { journalId: gone.journal_id, seq: gone.seq } }
  })
}
