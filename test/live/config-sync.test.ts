// Configuration from Postgres to the engine: nothing is lost, whatever the order of commits, and it
// is there in milliseconds.
import { isDeepStrictEqual } from 'node:util'
import { test } from 'tap'
import type { Sql } from '../../api/database/pool.ts'
import { tx } from '../../api/database/transaction.ts'
import { createEngineClient } from '../../api/engine-link/client.ts'
import { waitForEngine } from '../../api/engine-link/cover.ts'
import { readFacts } from '../../api/engine-link/fact-rows.ts'
import { startEngineLink } from '../../api/engine-link/link.ts'
import { pruneChanges } from '../../api/engine-link/prune-changes.ts'
import type { Facts } from '../../engine/facts/facts.ts'
import { sleep, systemClock } from '../../shared/clock.ts'
import { newId } from '../../shared/id.ts'
import type { ControlsFact, EndpointFact, ProgramFact } from '../../shared/wire/facts.ts'
import { MIGRATED } from '../harness/drain.ts'
import { type EngineDoor, openEngineDoor, silentLog } from '../harness/engine-door.ts'
import { openTestDatabase, type Teardown, type TestDatabase } from '../harness/postgres.ts'
import { seedCard, seedTenant, type TestTenant } from '../harness/tenant.ts'
import { until } from '../harness/until.ts'

const clock = systemClock

function link(t: Teardown, database: TestDatabase, door: EngineDoor) {
  const started = startEngineLink({
    databaseUrl: database.url,
    socketPath: door.socketPath,
    clock,
    watch: { agrees: true },
    log: silentLog,
    migrations: MIGRATED,
  })
  t.teardown(() => started.stop())
  return started
}

async function covered(sql: Sql, door: EngineDoor): Promise<void> {
  const [row] = await sql<{ xid: string }[]>`select pg_current_xact_id()::text as xid`
  await until(() => door.facts.databaseId !== null && door.facts.covers(BigInt(row?.xid ?? 0)))
}

/** Cards and controls on which the engine and Postgres differ. */
async function differences(
  sql: Sql,
  facts: Facts,
  removedIds: readonly string[],
): Promise<string[]> {
  const all = { after: '', most: 1_000_000 }
  const different: string[] = []
  for (const fact of await readFacts(sql, 'card', all)) {
    if (fact.type !== 'card') continue
    const known = [facts.card(fact.id), facts.cardByToken(fact.token)]
    if (known.some((card) => !isDeepStrictEqual(card, fact))) different.push(fact.id)
  }
  for (const fact of await readFacts(sql, 'controls', all))
    if (!isDeepStrictEqual(facts.controls(fact.id), fact)) different.push(fact.id)
  const present = new Set((await sql<{ id: string }[]>`select id from cards`).map(({ id }) => id))
  for (const id of removedIds) if (!present.has(id) && facts.card(id) !== null) different.push(id)
  return different
}

test('six writers that commit out of order, a transaction held open, and full copies beside them', async (t) => {
  const database = await openTestDatabase(t)
  const { sql } = database
  const door = await openEngineDoor(t)
  const tenant = await seedTenant(sql, 'sandbox')
  for (let count = 0; count < 300; count++) await seedCard(sql, tenant)
  const first = link(t, database, door)
  const removed: string[] = []
  let writing = true
  const heldOpen = tx(sql, async (inner) => {
    await inner`update cards set suspend_reason = 'held' where id = ${tenant.cardId}`
    await sleep(1500)
  })
  const writers = [0, 1, 2].map((number) => write(database, tenant, number, removed, () => writing))
  await covered(sql, door)
  // Another leader takes over in the middle, and the engine loses its facts: both mean a full copy
  // under load.
  await first.stop()
  const second = link(t, database, door)
  await until(() => second.state().attached)
  await sleep(300)
  await door.facts.apply({
    database_id: door.facts.databaseId ?? '',
    step: 'change',
    base: door.facts.cursor,
    changes: [],
    cursor: '1:1:',
  })
  await second.stop()
  link(t, database, door)
  await sleep(700)
  writing = false
  await Promise.all([...writers, heldOpen])
  await covered(sql, door)
  t.same(await differences(sql, door.facts, removed), [])
  t.ok(removed.length > 20, 'removals happened')
  const [changes] = await sql<{ count: number }[]>`select count(*) from config_change`
  t.comment(changes?.count + ' changes')
})

/**
 * Inserts, updates, removes and brings back cards, two transactions at a time, some of them slow.
 */
async function write(
  { sql }: TestDatabase,
  tenant: TestTenant,
  number: number,
  removed: string[],
  writing: () => boolean,
): Promise<void> {
  const lane = async (half: number): Promise<void> => {
    const mine: string[] = []
    for (let round = number * 2 + half; writing(); round += 7) {
      await tx(sql, async (inner) => {
        const id = await seedCard(inner as unknown as Sql, tenant)
        mine.push(id)
        const target = mine[round % mine.length]
        if (target === undefined) return
        if (round % 5 === 0) await sleep(round % 23)
        if (round % 3 === 0) {
          await inner`delete from cards where id = ${target}`
          removed.push(target)
        } else
          await inner`update cards set status = 'suspended', token = token || '.' where id = ${target}`
        if (round % 4 === 0)
          await inner`update controls set controls = jsonb_set(controls, '{0,merchant_lock}', 'true')
            where subject_id = ${target}`
      })
    }
  }
  await Promise.all([lane(0), lane(1)])
}

test('a change is at the engine within milliseconds, with everything that belongs to it', async (t) => {
  const database = await openTestDatabase(t)
  const { sql } = database
  const door = await openEngineDoor(t)
  const tenant = await seedTenant(sql, 'sandbox')
  link(t, database, door)
  const client = createEngineClient({ socketPath: door.socketPath, clock })
  t.teardown(() => client.close())
  await covered(sql, door)

  const lags: number[] = []
  for (let round = 0; round < 100; round++) {
    const xid = await tx(sql, async (inner) => {
      const status = round % 2 === 0 ? 'suspended' : 'active'
      await inner`update cards set status = ${status} where id = ${tenant.cardId}`
      const [row] = await inner<{ xid: string }[]>`select pg_current_xact_id()::text as xid`
      return BigInt(row?.xid ?? 0)
    })
    const committedNs = clock.monotonicNs()
    if (!(await waitForEngine(client, xid))) t.fail('not covered')
    lags.push((clock.monotonicNs() - committedNs) / 1e6)
    if (door.facts.card(tenant.cardId)?.status !== (round % 2 === 0 ? 'suspended' : 'active'))
      t.fail('covered without the change')
  }
  lags.sort((a, b) => a - b)
  const [p50, p99] = [lags[50] ?? 0, lags[98] ?? 0]
  t.comment('commit to covered: p50 ' + p50.toFixed(1) + ' ms, p99 ' + p99.toFixed(1) + ' ms')
  t.ok(p50 < 50)

  const secret = { id: newId('whs', 1), endpoint: tenant.endpointId }
  await sql`insert into webhook_secrets (id, endpoint_id, slot, sealed, created_at)
    values (${secret.id + 'b'}, ${secret.endpoint}, 1, 'newer', 2)`
  await sql`insert into webhook_secrets (id, endpoint_id, slot, sealed, created_at)
    values (${secret.id + 'a'}, ${secret.endpoint}, 0, 'older', 1)`
  await sql`update tenants set api_version = '2027-01-01' where id = ${tenant.tenantId}`
  await sql`delete from controls where subject_id = ${tenant.cardId}`
  await covered(sql, door)
  const expected: [EndpointFact | null, ProgramFact | null, ControlsFact | null] = [
    door.facts.endpoint(tenant.endpointId),
    door.facts.program(tenant.programId),
    door.facts.controls(tenant.cardId),
  ]
  t.match(expected, [{ sealed_secrets: ['older', 'newer'] }, { api_version: '2027-01-01' }, null])
  await sql`insert into controls (subject_id, scope, tenant_id, environment)
    values (${tenant.cardId}, 'card', ${tenant.tenantId}, 'sandbox')`
  await covered(sql, door)
  t.match(
    door.facts.controls(tenant.cardId),
    { controls: [] },
    'a row comes back after its removal',
  )
})

test('deleted changes are missed by nobody: a cursor from before them means a full copy', async (t) => {
  const database = await openTestDatabase(t)
  const { sql } = database
  const door = await openEngineDoor(t)
  const tenant = await seedTenant(sql, 'sandbox')
  const first = link(t, database, door)
  await covered(sql, door)
  await first.stop()
  const before = door.facts.cursor ?? ''
  await sql`update cards set status = 'suspended' where id = ${tenant.cardId}`
  t.ok((await changesKept(sql)) > 0)
  let now = ''
  await until(async () => {
    // Nothing goes that a transaction which still runs is older than, in whatever database of this
    // PostgreSQL.
    const [row] = await sql<{ cursor: string }[]>`select pg_current_snapshot()::text as cursor`
    now = row?.cursor ?? ''
    await pruneChanges(sql, now)
    return (await changesKept(sql)) === 0
  })
  t.equal(await pruneChanges(sql, now), 0)
  t.equal(door.facts.cursor, before)
  link(t, database, door)
  await covered(sql, door)
  t.equal(door.facts.card(tenant.cardId)?.status, 'suspended')
  t.same(await differences(sql, door.facts, []), [])
})

async function changesKept(sql: Sql): Promise<number> {
  const [row] = await sql<{ count: number }[]>`
    select count(*)::integer as count from config_change where not removed`
  return row?.count ?? 0
}
