// Empties the sandbox of a tenant in the caller's transaction. History goes first, while the drain
// and the dispatcher continue; then the tenant is locked against new rows, and rows that arrived
// meanwhile go with the rest. The drain drops later journal entries about deleted cards
// (engine-link/wiped.ts).
import type { EpochMs } from '../../../shared/clock.ts'
import type { Owner } from '../../context.ts'
import type { Fragment } from '../../database/page.ts'
import type { TxSql } from '../../database/transaction.ts'
import { removeEntitlements } from '../tenants/index.ts'
import {
  countWipe,
  endCounting,
  lockTenantAlone,
  lockTransactions,
  requireLanded,
  wipeIdempotencyKeys,
} from './wipe-store.ts'
import { type Hanging, HISTORY, RESOURCES, type WipedRoot } from './wiped-tables.ts'

interface Wipe {
  owner: Owner
  /** Tenant time. */
  now: EpochMs
  /** Rows deleted, by table. */
  counts: Map<string, number>
}

/** Result of an emptied sandbox. */
export interface Emptied {
  /** Wipes of this sandbox so far, with this one. */
  wipes: number
  /** Rows deleted, by table; only tables that had some. */
  deleted: { [table: string]: number }
}

/**
 * Refuses with 409 while a settlement batch or withdrawal of the tenant is on its way to the chain.
 * `now` is installation time; `clockOffsetMs` is how far the tenant's clock is ahead.
 */
export async function emptySandbox(
  sql: TxSql,
  owner: Owner & { clockOffsetMs: number },
  now: EpochMs,
): Promise<Emptied> {
  const wipe: Wipe = { owner, now: now + owner.clockOffsetMs, counts: new Map() }
  for (const root of HISTORY) await emptyTable(sql, wipe, root)
  await lockTenantAlone(sql, owner)
  await endCounting(sql, owner)
  await removeEntitlements(sql, owner)
  for (const root of [...HISTORY, ...RESOURCES]) await emptyTable(sql, wipe, root)
  add(wipe, 'idempotency_keys', await wipeIdempotencyKeys(sql, owner))
  return {
    wipes: await countWipe(sql, owner, now),
    deleted: Object.fromEntries([...wipe.counts].filter(([, count]) => count > 0)),
  }
}

/**
 * Deletes part by part from one end of the key to the other: the scan never returns to deleted
 * rows.
 */
async function emptyTable(sql: TxSql, wipe: Wipe, root: WipedRoot): Promise<void> {
  const { owner, now } = wipe
  for (let last: Edge | null = null; ; ) {
    const part = await nextPart(sql, owner, root, last)
    if (part === null) return
    const rows = rowsOf(sql, owner, root, part)
    if (root.table === 'card_transactions') await lockTransactions(sql, rows, now)
    const sent = root.with.find(({ table }) => table === 'settlement_attempts')
    if (sent !== undefined)
      await requireLanded(sql, { table: root.table, column: sent.column, rows })
    for (const hanging of root.with) await emptyHanging(sql, wipe, hanging, idsOf(sql, root, rows))
    const gone = await sql`delete from ${sql(root.table)} where ${rows}`
    add(wipe, root.table, gone.count)
    last = root.newestFirst ? part.from : part.to
  }
}

/** A value of the key. */
type Edge = number | string

interface Part {
  from: Edge
  to: Edge
}

async function nextPart(
  sql: TxSql,
  { tenantId, environment }: Owner,
  { table, key, newestFirst, part }: WipedRoot,
  last: Edge | null,
): Promise<Part | null> {
  const column = sql(key)
  const behind = newestFirst ? sql`and ${column} < ${last}` : sql`and ${column} > ${last}`
  const [row] = await sql<{ from: Edge | null; to: Edge | null }[]>`
    select min(key) as "from", max(key) as "to" from (
      select ${column} as key from ${sql(table)}
      where tenant_id = ${tenantId} and environment = ${environment} ${last === null ? sql`` : behind}
      order by ${column} ${newestFirst ? sql`desc` : sql``}
      limit ${part}
    ) part`
  return row === undefined || row.from === null || row.to === null
    ? null
    : { from: row.from, to: row.to }
}

function rowsOf(
  sql: TxSql,
  { tenantId, environment }: Owner,
  { key }: WipedRoot,
  { from, to }: Part,
): Fragment {
  return sql`
    tenant_id = ${tenantId} and environment = ${environment} and ${sql(key)} between ${from} and ${to}`
}

function idsOf(sql: TxSql, { table }: { table: string }, rows: Fragment): Fragment {
  return sql`select id from ${sql(table)} where ${rows}`
}

async function emptyHanging(
  sql: TxSql,
  wipe: Wipe,
  hanging: Hanging,
  named: Fragment,
): Promise<void> {
  const rows = sql`${sql(hanging.column)} in (${named})`
  for (const inner of hanging.with ?? [])
    await emptyHanging(sql, wipe, inner, idsOf(sql, hanging, rows))
  const gone = await sql`delete from ${sql(hanging.table)} where ${rows}`
  add(wipe, hanging.table, gone.count)
}

function add({ counts }: Wipe, table: string, count: number): void {
  counts.set(table, (counts.get(table) ?? 0) + count)
}
