// Moves a placement group to another shard. Its windows, holds and answers lie in the journal of
// the shard before, so only a group that has decided nothing yet is moved.
import { sleep, systemClock } from '../../shared/clock.ts'
import { CONCLUDE_LATEST_MS } from '../../shared/limits.ts'
import type { Result } from '../../shared/result.ts'
import { FIRST_SHARD, NO_SHARD } from '../../shared/shards.ts'
import type { Environment } from '../../shared/wire/config-records.ts'
import type { Sql } from '../database/pool.ts'
import { type TxSql, tx } from '../database/transaction.ts'
import type { EngineClient } from './client.ts'

const AGAIN_MS = 50
const COVERED_MS_MAX = 10_000
const DRAINED_MS_MAX = 60_000
/**
 * An authorization that waits for its tenant is decided so late after the engine has the placement,
 * on a busy machine too.
 */
const CONCLUDED_MS = CONCLUDE_LATEST_MS + 500
/** A member that lacks entries of its owner for longer than two seconds says so: `hears`. */
const FOLLOWED_MS = 2500

/** A tenant in an environment, or one program of it. */
export interface Group {
  tenantId: string
  environment: Environment
  programId: string | null
}

export interface MoveParts {
  sql: Sql
  /** One connection, which holds the lock of the tenant's groups during a move. */
  lock: Sql
  /** The engine of every shard. */
  clients: readonly Pick<EngineClient, 'covers' | 'settled' | 'status'>[]
  /** The operator ends the move: the group stays. */
  signal?: AbortSignal
}

export interface Moved {
  /** The shard before; `-` where an earlier move was cut short. */
  from: string
  /** False: an engine does not have the placement yet, and gets it by itself. */
  isKnown: boolean
}

/**
 * Returns the outcome; or the sentence that says why the group stays where it is. A second move of
 * a group of the tenant is refused meanwhile.
 */
export async function moveGroup(
  parts: MoveParts,
  group: Group,
  shard: string,
): Promise<Result<Moved, string>> {
  const { lock } = parts
  const name = 'placement of ' + group.tenantId + ' ' + group.environment
  const [row] = await lock<{ held: boolean }[]>`
    select pg_try_advisory_lock(hashtextextended(${name}, 0)) as held`
  if (row?.held !== true)
    return refused('A group of this tenant is being moved by another command.')
  try {
    return await moveLocked(parts, group, shard)
  } finally {
    await lock`select pg_advisory_unlock(hashtextextended(${name}, 0))`.catch(() => undefined)
  }
}

async function moveLocked(
  parts: MoveParts,
  group: Group,
  shard: string,
): Promise<Result<Moved, string>> {
  const { sql } = parts
  const known = await sql`select from journal_cursor where shard = ${shard}`
  if (known.length === 0) return refused('No shard ' + shard + ' has given its journal yet.')
  if (!(await exists(sql, group))) return refused('There is no such tenant or program.')
  const { at, before } = await placeOf(sql, group)
  if (before === NO_SHARD) return refused('The tenant of the program is between two shards.')
  if (at === shard) return refused('The group is in shard ' + shard + ' already.')
  if (before === shard) {
    await placeBack(sql, group)
    return { ok: true, value: { from: at, isKnown: await covered(parts) } }
  }
  if (await hasDecided(sql, group))
    return refused(at === before ? DECIDED : DECIDED + ' Move it back to ' + before + '.')
  // From now on no engine decides for the group, and the front doors hold its messages.
  if (at !== NO_SHARD) await leave(sql, group)
  try {
    const why = await obstacle(parts, group)
    if (why !== null) {
      await placeBack(sql, group)
      return refused(why)
    }
    if (!(await arrive(sql, group, shard)))
      return refused('The group was moved by another command meanwhile.')
  } catch (error) {
    const isBack = await placeBack(sql, group).then(
      () => true,
      () => false,
    )
    if (isBack) throw error
    return refused('PostgreSQL failed, and the group is between two shards: move it again.')
  }
  return { ok: true, value: { from: at, isKnown: await covered(parts) } }
}

/** Waits until no engine has an entry of the group that PostgreSQL lacks; null: it may go. */
async function obstacle(parts: MoveParts, group: Group): Promise<string | null> {
  const { sql, signal } = parts
  let isCovered = await covered(parts)
  if (isCovered) await sleep(CONCLUDED_MS, signal)
  // A decision waits in memory while the disk is slow or etcd is away.
  isCovered &&= await covered(parts, 'settled')
  if (isCovered) await sleep(FOLLOWED_MS, signal)
  if (signal?.aborted) return 'The move was ended; the group stays.'
  if (!isCovered) return 'An engine does not answer; the group stays.'
  if (!(await drained(parts))) return 'The journals are not drained; the group stays.'
  return (await hasDecided(sql, group)) ? DECIDED : null
}

const DECIDED =
  'The group has decided transactions: their holds and limits would stay behind. Only a group without any is moved.'

async function exists(sql: Sql, { tenantId, environment, programId }: Group): Promise<boolean> {
  const rows =
    programId === null
      ? await sql`select from tenants where id = ${tenantId}`
      : await sql`
          select from programs
          where id = ${programId} and tenant_id = ${tenantId} and environment = ${environment}`
  return rows.length === 1
}

/** The present shard, and the one before where it is `-`: `-` too while its tenant moves. */
async function placeOf(sql: Sql, group: Group): Promise<{ at: string; before: string }> {
  const { tenantId, environment, programId } = group
  const rows = await sql<{ program_id: string | null; shard: string; moved_from: string | null }[]>`
    select program_id, shard, moved_from from placements
    where tenant_id = ${tenantId} and environment = ${environment}
      and (program_id is null or program_id = ${programId})`
  const own = rows.find((row) => row.program_id === programId)
  const ofTenant = rows.find((row) => row.program_id === null)
  const inherited = programId === null ? FIRST_SHARD : (ofTenant?.shard ?? FIRST_SHARD)
  const at = own?.shard ?? inherited
  return { at, before: at === NO_SHARD ? (own?.moved_from ?? inherited) : at }
}

async function hasDecided(sql: Sql, group: Group): Promise<boolean> {
  const { tenantId, environment, programId } = group
  const [row] = await sql<{ decided: boolean }[]>`
    select exists (
      select from card_transactions t
      where t.tenant_id = ${tenantId} and t.environment = ${environment}
        and (${programId}::text is null
          or t.card_id in (select id from cards where program_id = ${programId}))
    ) or exists (
      select from payments p
      where p.tenant_id = ${tenantId} and p.environment = ${environment}
        and (${programId}::text is null
          or p.payment_account_id in (select id from payment_accounts where program_id = ${programId}))
    ) as decided`
  return row?.decided === true
}

/** The group is between two shards; its row keeps where it came from, if it had one. */
async function leave(sql: Sql, group: Group): Promise<void> {
  const { tenantId, environment, programId } = group
  await tx(sql, async (inner) => {
    const left = await inner`
      update placements set shard = ${NO_SHARD}, moved_from = shard where ${isOf(inner, group)}`
    if (left.count > 0) return
    await inner`
      insert into placements (tenant_id, environment, program_id, shard)
      values (${tenantId}, ${environment}, ${programId}, ${NO_SHARD})`
  })
}

/** False where the group is no longer between two shards: a lock was lost with its connection. */
async function arrive(sql: Sql, group: Group, shard: string): Promise<boolean> {
  const arrived = await tx(
    sql,
    (inner) =>
      inner`
        update placements set shard = ${shard}, moved_from = null
        where ${isOf(inner, group)} and shard = ${NO_SHARD}`,
  )
  return arrived.count === 1
}

/** A program that had no row of its own follows its tenant again. */
async function placeBack(sql: Sql, group: Group): Promise<void> {
  await tx(sql, async (inner) => {
    await inner`
      update placements set moved_from = null, shard = coalesce(moved_from, ${FIRST_SHARD})
      where ${isOf(inner, group)} and shard = ${NO_SHARD}
        and (moved_from is not null or program_id is null)`
    if (group.programId === null) return
    const gone = await inner`
      delete from placements
      where program_id = ${group.programId} and shard = ${NO_SHARD} and moved_from is null`
    if (gone.count === 0) return
    await inner`
      update programs p set shard = (
        select shard from placements o
        where o.tenant_id = p.tenant_id and o.environment = p.environment and o.program_id is null
      ) where id = ${group.programId}`
  })
}

function isOf(sql: TxSql, { tenantId, environment, programId }: Group) {
  return programId === null
    ? sql`tenant_id = ${tenantId} and environment = ${environment} and program_id is null`
    : sql`program_id = ${programId}`
}

/** True once every engine has the placement; `settled`: and all decisions in its journal. */
async function covered(
  { sql, clients, signal }: MoveParts,
  by: 'covers' | 'settled' = 'covers',
): Promise<boolean> {
  const [row] = await sql<{ xid: string }[]>`select pg_current_xact_id()::text as xid`
  const xid = BigInt(row?.xid ?? 0)
  return within(COVERED_MS_MAX, signal, async () => {
    const all = await Promise.all(clients.map((client) => client[by](xid)))
    return all.every((has) => has)
  })
}

/** True once PostgreSQL has every entry that the engines have now, as members with news say. */
function drained({ clients, signal }: MoveParts): Promise<boolean> {
  let before: readonly number[] | null = null
  return within(DRAINED_MS_MAX, signal, async () => {
    const now = await Promise.all(clients.map((client) => client.status()))
    if (now.some(({ hears }) => hears === false)) return false
    before ??= now.map(({ synced_seq: seq }) => seq)
    const needed = before
    return now.every(({ drained_seq: seq }, at) => seq >= (needed[at] ?? 0))
  })
}

/** An engine that does not answer may do so later. */
async function within(
  msMax: number,
  signal: AbortSignal | undefined,
  condition: () => Promise<boolean>,
): Promise<boolean> {
  const untilNs = systemClock.monotonicNs() + msMax * 1e6
  while (!signal?.aborted) {
    if (await condition().catch(() => false)) return true
    if (systemClock.monotonicNs() > untilNs) return false
    await sleep(AGAIN_MS, signal)
  }
  return false
}

function refused(error: string): { ok: false; error: string } {
  return { ok: false, error }
}
