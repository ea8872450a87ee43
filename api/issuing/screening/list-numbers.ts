// Chooses the screening lists of the installation when several dispatchers read their own files:
// the newest lists win, as long as a dispatcher uses them.
import type { EpochMs } from '../../../shared/clock.ts'
import type { Sql, SqlTag } from '../../database/pool.ts'
import { type TxSql, tx } from '../../database/transaction.ts'

/** The lists of one process. */
export interface LoadedLists {
  version: string
  size: number
  /** Time of the last write to the files. */
  changedAt: EpochMs
}

interface UsedLists {
  number: number
  version: string
  changedAt: EpochMs
  seenAt: EpochMs
}

const SEEN_EVERY_MS = 30_000
/**
 * Chosen: lists unused for this long give way also to older lists, which an operator may have
 * restored on purpose.
 */
export const UNUSED_MS_MAX = 5 * 60_000

/**
 * Returns the number of these lists if they are in use; newer lists come into use here. Returns
 * null if another dispatcher uses newer ones. Numbers grow: a person screened under a smaller
 * number is screened again. `now` is installation time.
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
  // Another dispatcher was faster; the next round sees its lists.
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

/** Returns the last number of lists of this version; 0 if they were never in use. */
export async function listNumber(sql: TxSql, version: string): Promise<number> {
  const [row] = await sql<{ number: number }[]>`
    select coalesce(max(number), 0)::bigint as number from screening_lists where version = ${version}`
  return row?.number ?? 0
}
