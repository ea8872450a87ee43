// Which lists everybody is screened against, where several dispatchers read their own files: the ones written last, as long as
// somebody uses them.
import type { EpochMs } from '../../../shared/clock.ts'
import type { Sql, SqlTag } from '../../database/pool.ts'
import { type TxSql, tx } from '../../database/transaction.ts'

/** Lists as one process has them. */
export interface LoadedLists {
  version: string
  size: number
  /** When the files were written. */
  changedAt: EpochMs
}

interface UsedLists {
  number: number
  version: string
  changedAt: EpochMs
  seenAt: EpochMs
}

const SEEN_EVERY_MS = 30_000
/** Chosen: lists that nobody has used for this long give way also to older ones, which somebody put back on purpose. */
export const UNUSED_MS_MAX = 5 * 60_000

/**
 * The number of these lists where they are the ones in use, which they become where they are newer; null where somebody uses
 * newer ones. Numbers grow: whoever was screened under a smaller one is screened again. `now` is the installation's time.
 */
export async function useLists(sql: Sql, lists: LoadedLists, now: EpochMs): Promise<number | null> {
  const used = await latestLists(sql)
  if (used === null || used.version !== lists.version) {
    if (used !== null && !giveWay(used, lists, now)) return null
    return tx(sql, (inner) => takeOver(inner, used, { ...lists, seenAt: now }))
  }
  if (now - used.seenAt >= SEEN_EVERY_MS) {
    await sql`
      update screening_lists set seen_at = greatest(seen_at, ${now}),
        changed_at = greatest(changed_at, ${lists.changedAt})
      where number = ${used.number}`
  }
  return used.number
}

function giveWay(used: UsedLists, lists: LoadedLists, now: EpochMs): boolean {
  return lists.changedAt > used.changedAt || now - used.seenAt > UNUSED_MS_MAX
}

async function takeOver(
  sql: TxSql,
  used: UsedLists | null,
  lists: LoadedLists & { seenAt: EpochMs },
): Promise<number | null> {
  await sql`lock table screening_lists in share row exclusive mode`
  const latest = await latestLists(sql)
  // Somebody was quicker; the next round sees theirs.
  if (latest?.number !== used?.number) return null
  const [row] = await sql<{ number: number }[]>`
    insert into screening_lists (version, size, changed_at, seen_at)
    values (${lists.version}, ${lists.size}, ${lists.changedAt}, ${lists.seenAt})
    returning number`
  return row?.number ?? null
}

async function latestLists(sql: SqlTag): Promise<UsedLists | null> {
  const [row] = await sql<UsedLists[]>`
    select number, version, changed_at as "changedAt", seen_at as "seenAt" from screening_lists
    order by number desc limit 1`
  return row ?? null
}

/** The number under which lists of this version were in use last; 0 where nobody used them yet. */
export async function listNumber(sql: TxSql, version: string): Promise<number> {
  const [row] = await sql<{ number: number }[]>`
    select coalesce(max(number), 0)::bigint as number from screening_lists where version = ${version}`
  return row?.number ?? 0
}
