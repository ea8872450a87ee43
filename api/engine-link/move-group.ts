// Moves a placement group to another shard. Its windows, holds and answers lie in the journal of
// the shard before, so only a group that has decided nothing yet is moved.
import { sleep } from '../../shared/clock.ts'
import type { Result } from '../../shared/result.ts'
import { FIRST_SHARD, NO_SHARD } from '../../shared/shards.ts'
import type { Environment } from '../../shared/wire/config-records.ts'
import type { Sql } from '../database/pool.ts'
import type { EngineClient } from './client.ts'

const AGAIN_MS = 50
const COVERED_MS_MAX = 10_000
const DRAINED_MS_MAX = 60_000

/** A tenant in an environment, or one program of it. */
export interface Group {
  tenantId: string
  environment: Environment
  programId: string | null
}

export interface MoveParts {
  sql: Sql
  /** The engine of every shard. */
  clients: readonly EngineClient[]
}

/** Returns the shard before; or the sentence that says why the group stays where it is. */
export async function moveGroup(
  parts: MoveParts,
  group: Group,
  shard: string,
): Promise<Result<string, string>> {
  const { sql } = parts
  const known = await sql`select from journal_cursor where shard = ${shard}`
  if (known.length === 0) return refused('No shard ' + shard + ' has given its journal yet.')
  if (!(await exists(sql, group))) return refused('There is no such tenant or program.')
  const before = await placeOf(sql, group)
  if (before === shard) return refused('The group is in shard ' + shard + ' already.')
  if (await hasDecided(sql, group)) return refused(DECIDED)
  // From now on no engine decides for the group, and the front doors hold its messages.
  await place(sql, group, NO_SHARD)
  const stays = async (why: string): Promise<Result<string, string>> => {
    await place(sql, group, before)
    return refused(why)
  }
  if (!(await covered(parts))) return stays('An engine does not answer; the group stays.')
  if (!(await drained(parts))) return stays('The journals are not drained; the group stays.')
  if (await hasDecided(sql, group)) return stays(DECIDED)
  await place(sql, group, shard)
  await covered(parts)
  return { ok: true, value: before }
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

async function placeOf(sql: Sql, { tenantId, environment, programId }: Group): Promise<string> {
  const [row] = await sql<{ shard: string }[]>`
    select shard from placements
    where tenant_id = ${tenantId} and environment = ${environment}
      and (program_id is null or program_id = ${programId})
    order by program_id nulls last limit 1`
  return row?.shard ?? FIRST_SHARD
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

async function place(sql: Sql, { tenantId, environment, programId }: Group, shard: string) {
  const moved =
    programId === null
      ? await sql`
          update placements set shard = ${shard}
          where tenant_id = ${tenantId} and environment = ${environment} and program_id is null`
      : await sql`update placements set shard = ${shard} where program_id = ${programId}`
  if (moved.count > 0) return
  await sql`
    insert into placements (tenant_id, environment, program_id, shard)
    values (${tenantId}, ${environment}, ${programId}, ${shard})`
}

/** True once every engine has the placement. */
async function covered({ sql, clients }: MoveParts): Promise<boolean> {
  const [row] = await sql<{ xid: string }[]>`select pg_current_xact_id()::text as xid`
  const xid = BigInt(row?.xid ?? 0)
  return within(COVERED_MS_MAX, async () => {
    const all = await Promise.all(clients.map((client) => client.covers(xid)))
    return all.every((has) => has)
  })
}

/** True once PostgreSQL has every entry that the engines have now. */
async function drained({ clients }: MoveParts): Promise<boolean> {
  const before = await Promise.all(clients.map((client) => client.status()))
  return within(DRAINED_MS_MAX, async () => {
    const now = await Promise.all(clients.map((client) => client.status()))
    return now.every(({ drained_seq: seq }, at) => seq >= (before[at]?.synced_seq ?? 0))
  })
}

async function within(msMax: number, condition: () => Promise<boolean>): Promise<boolean> {
  for (let waited = 0; waited < msMax; waited += AGAIN_MS) {
    if (await condition().catch(() => false)) return true
    await sleep(AGAIN_MS)
  }
  return false
}

function refused(error: string): { ok: false; error: string } {
  return { ok: false, error }
}
