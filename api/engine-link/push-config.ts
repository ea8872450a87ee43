// Keeps the engine's config records equal to the configuration in Postgres. New changes are the
// difference of two snapshots: changes whose transaction our cursor sees and the engine's does not.
// A sequence would lose some: transactions commit out of order.
import {
  CONFIG_TYPES,
  type ConfigChange,
  type ConfigRecord,
  type ConfigType,
} from '../../shared/wire/config-records.ts'
import { withDeadline } from '../database/deadline.ts'
import type { Sql } from '../database/pool.ts'
import type { Signal } from '../jobs/signal.ts'
import type { EngineClient } from './client.ts'
import { readConfig } from './config-rows.ts'
import { resyncConfig } from './resync-config.ts'

/**
 * Milliseconds between polls: a backstop behind NOTIFY, and the interval of empty pushes to the
 * engine.
 */
const POLL_MS = 200
const QUERY_MS_MAX = 10_000
const PRUNE_INTERVAL_MS = 600_000
/** Above this number of changes a full copy is cheaper than a lookup of each. */
const CHANGES_MAX = 50_000
/** Config records per push: the engine applies a push in one piece on its decision thread. */
const PUSH_FACTS_MAX = 200

interface ChangeRow {
  type: ConfigType
  id: string
  version: number
  removed: boolean
}

export interface PushParts {
  sql: Sql
  client: EngineClient
  databaseId: string
  wake: Signal
}

/**
 * Pushes until the signal aborts. Rejects when Postgres or the engine failed: the caller starts
 * over with a status.
 */
export async function pushConfig(
  parts: PushParts,
  from: string | null,
  signal: AbortSignal,
): Promise<void> {
  const { clock } = parts.client
  let cursor = from ?? (await resyncConfig(parts))
  let prunedAtNs = clock.monotonicNs()
  while (!signal.aborted) {
    cursor = (await pushChanges(parts, cursor)) ?? (await resyncConfig(parts))
    if (clock.monotonicNs() - prunedAtNs > PRUNE_INTERVAL_MS * 1e6) {
      await withDeadline(pruneChanges(parts.sql, cursor), QUERY_MS_MAX)
      prunedAtNs = clock.monotonicNs()
    }
    await parts.wake.wait(POLL_MS)
  }
}

/**
 * Pushes the changes since the cursor and returns the next one; null when a full copy is needed.
 */
async function pushChanges(parts: PushParts, base: string): Promise<string | null> {
  const { sql, client, databaseId } = parts
  const { cursor, reaches, rows } = await changesSince(sql, base)
  if (!reaches || rows.length > CHANGES_MAX) return null
  const push = (changes: readonly ConfigChange[], next: string): Promise<void> =>
    client.pushConfig({ database_id: databaseId, step: 'change', base, changes, cursor: next })
  const pending: ConfigChange[] = []
  for (const change of await configOf(sql, rows)) {
    if (pending.length === PUSH_FACTS_MAX) await push(pending.splice(0), base)
    pending.push(change)
  }
  // Only the last push moves the cursor: the earlier pushes are merely early.
  await push(pending, cursor)
  return cursor
}

/**
 * One statement, so one snapshot: the new cursor covers exactly the changes it returns. `reaches`
 * is false when changes that the old cursor does not see may have been deleted.
 */
async function changesSince(
  sql: Sql,
  base: string,
): Promise<{ cursor: string; reaches: boolean; rows: readonly ChangeRow[] }> {
  const rows = await withDeadline(
    sql<({ cursor: string; reaches: boolean } & (ChangeRow | { type: null }))[]>`
      select pg_current_snapshot()::text as cursor,
        h.xid <= pg_snapshot_xmin(${base}::text::pg_snapshot) as reaches, c.type, c.id, c.version, c.removed
      from config_horizon h left join (
        select distinct on (type, id) type, id, version, removed
        from config_change
        where xid >= pg_snapshot_xmin(${base}::text::pg_snapshot)
          and not pg_visible_in_snapshot(xid, ${base}::text::pg_snapshot)
        order by type, id, version desc
        limit ${CHANGES_MAX + 1}
      ) as c on true
    `,
    QUERY_MS_MAX,
  )
  const [first] = rows
  if (first === undefined) throw new Error('a snapshot without a row')
  const { cursor, reaches } = first
  return { cursor, reaches, rows: rows.filter((row) => row.type !== null) }
}

/**
 * Returns the current config records behind the changes. They may be newer than the change, as
 * their version shows.
 */
async function configOf(sql: Sql, rows: readonly ChangeRow[]): Promise<readonly ConfigChange[]> {
  const reads: Promise<readonly ConfigRecord[]>[] = []
  for (const type of CONFIG_TYPES) {
    const ids = rows.filter((row) => row.type === type && !row.removed).map((row) => row.id)
    for (let at = 0; at < ids.length; at += PUSH_FACTS_MAX)
      reads.push(readConfig(sql, type, { ids: ids.slice(at, at + PUSH_FACTS_MAX) }))
  }
  const records = await withDeadline(Promise.all(reads), QUERY_MS_MAX)
  const removals = rows
    .filter((row) => row.removed)
    .map(({ type, id, version }): ConfigChange => ({ type, id, version, removed: true }))
  return [...removals, ...records.flat()]
}

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
