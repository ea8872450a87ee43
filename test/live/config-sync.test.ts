// Configuration from PostgreSQL to the engine: nothing is lost in any order of commits, and it
// arrives within milliseconds.
import { isDeepStrictEqual } from 'node:util'
import { test } from 'tap'
import type { Sql } from '../../api/database/pool.ts'
import { tx } from '../../api/database/transaction.ts'
import { createEngineClient } from '../../api/engine-link/client.ts'
import { readConfig } from '../../api/engine-link/config-rows.ts'
import { startEngineLink } from '../../api/engine-link/link.ts'
import { NO_PAYMENTS } from '../../api/engine-link/payments-port.ts'
import { pruneChanges } from '../../api/engine-link/push-config.ts'
import { waitForEngine } from '../../api/engine-link/wait-for-engine.ts'
import type { ConfigCache } from '../../engine/config-cache/config-cache.ts'
import { sleep, systemClock } from '../../shared/clock.ts'
import { newId } from '../../shared/id.ts'
import type {
  ControlsConfig,
  EndpointConfig,
  ProgramConfig,
} from '../../shared/wire/config-records.ts'
import { MIGRATED } from '../harness/drain.ts'
import { type EngineListener, openEngineListener, silentLog } from '../harness/engine-listener.ts'
import { openTestDatabase, type Teardown, type TestDatabase } from '../harness/postgres.ts'
import { seedCard, seedTenant, type TestTenant } from '../harness/tenant.ts'
import { until } from '../harness/until.ts'

const clock = systemClock

function link(t: Teardown, database: TestDatabase, listener: EngineListener) {
  const started = startEngineLink({
    databaseUrl: database.url,
    socketPath: listener.socketPath,
    clock,
    watch: { agrees: true },
    log: silentLog,
    migrations: MIGRATED,
    payments: NO_PAYMENTS,
  })
  t.teardown(() => started.stop())
  return started
}

async function covered(sql: Sql, listener: EngineListener): Promise<void> {
  const [row] = await sql<{ xid: string }[]>`select pg_current_xact_id()::text as xid`
  await until(
    () =>
      listener.configCache.databaseId !== null &&
      listener.configCache.covers(BigInt(row?.xid ?? 0)),
  )
}

/** Cards and controls that differ between engine and PostgreSQL. */
async function differences(
  sql: Sql,
  configCache: ConfigCache,
  removedIds: readonly string[],
): Promise<string[]> {
  const all = { after: '', most: 1_000_000 }
  const different: string[] = []
  for (const configRecord of await readConfig(sql, 'card', all)) {
    if (configRecord.type !== 'card') continue
    const known = [configCache.card(configRecord.id), configCache.cardByToken(configRecord.token)]
    if (known.some((card) => !isDeepStrictEqual(card, configRecord)))
      different.push(configRecord.id)
  }
  for (const configRecord of await readConfig(sql, 'controls', all))
    if (!isDeepStrictEqual(configCache.controls(configRecord.id), configRecord))
      different.push(configRecord.id)
  const present = new Set((await sql<{ id: string }[]>`select id from cards`).map(({ id }) => id))
  for (const id of removedIds)
    if (!present.has(id) && configCache.card(id) !== null) different.push(id)
  return different
}

test('the engine stays equal under six writers, a long transaction and full copies', async (t) => {
  const database = await openTestDatabase(t)
  const { sql } = database
  const listener = await openEngineListener(t)
  const tenant = await seedTenant(sql, 'sandbox')
  for (let count = 0; count < 300; count++) await seedCard(sql, tenant)
  const first = link(t, database, listener)
  const removed: string[] = []
  let writing = true
  const heldOpen = tx(sql, async (inner) => {
    await inner`update cards set status = status where id = ${tenant.cardId}`
    await sleep(1500)
  })
  const writers = [0, 1, 2].map((number) => write(database, tenant, number, removed, () => writing))
  await covered(sql, listener)
  // Another leader takes over in the middle, and the engine loses its config cache: both cause a
  // full copy under load.
  await first.stop()
  const second = link(t, database, listener)
  await until(() => second.state().attached)
  await sleep(300)
  await listener.configCache.apply({
    database_id: listener.configCache.databaseId ?? '',
    step: 'change',
    base: listener.configCache.cursor,
    changes: [],
    cursor: '1:1:',
  })
  await second.stop()
  link(t, database, listener)
  await sleep(700)
  writing = false
  await Promise.all([...writers, heldOpen])
  await covered(sql, listener)
  t.same(await differences(sql, listener.configCache, removed), [])
  t.ok(removed.length > 20, 'removals happened')
  const [changes] = await sql<{ count: number }[]>`select count(*) from config_change`
  t.comment(changes?.count + ' changes')
})

/** Inserts, updates, removes and restores cards, two transactions at a time, some of them slow. */
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

test('a change reaches the engine within milliseconds, with all its parts', async (t) => {
  const database = await openTestDatabase(t)
  const { sql } = database
  const listener = await openEngineListener(t)
  const tenant = await seedTenant(sql, 'sandbox')
  link(t, database, listener)
  const client = createEngineClient({ socketPath: listener.socketPath, clock })
  t.teardown(() => client.close())
  await covered(sql, listener)

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
    if (
      listener.configCache.card(tenant.cardId)?.status !==
      (round % 2 === 0 ? 'suspended' : 'active')
    )
      t.fail('covered without the change')
  }
  lags.sort((a, b) => a - b)
  const [p50, p99] = [lags[50] ?? 0, lags[98] ?? 0]
  t.comment('commit to covered: p50 ' + p50.toFixed(1) + ' ms, p99 ' + p99.toFixed(1) + ' ms')
  t.ok(p50 < 500)

  const secret = { id: newId('whs', 1), endpoint: tenant.endpointId }
  await sql`insert into webhook_secrets (id, endpoint_id, slot, sealed, created_at)
    values (${secret.id + 'b'}, ${secret.endpoint}, 1, 'newer', 2)`
  await sql`insert into webhook_secrets (id, endpoint_id, slot, sealed, created_at)
    values (${secret.id + 'a'}, ${secret.endpoint}, 0, 'older', 1)`
  await sql`update tenants set api_version = '2027-01-01' where id = ${tenant.tenantId}`
  await sql`delete from controls where subject_id = ${tenant.cardId}`
  await covered(sql, listener)
  const expected: [EndpointConfig | null, ProgramConfig | null, ControlsConfig | null] = [
    listener.configCache.endpoint(tenant.endpointId),
    listener.configCache.program(tenant.programId),
    listener.configCache.controls(tenant.cardId),
  ]
  t.match(expected, [{ sealed_secrets: ['older', 'newer'] }, { api_version: '2027-01-01' }, null])
  await sql`insert into controls (subject_id, scope, tenant_id, environment)
    values (${tenant.cardId}, 'card', ${tenant.tenantId}, 'sandbox')`
  await covered(sql, listener)
  t.match(
    listener.configCache.controls(tenant.cardId),
    { controls: [] },
    'a row comes back after its removal',
  )
})

test('deleted changes are missed by no engine: an older cursor gets a full copy', async (t) => {
  const database = await openTestDatabase(t)
  const { sql } = database
  const listener = await openEngineListener(t)
  const tenant = await seedTenant(sql, 'sandbox')
  const first = link(t, database, listener)
  await covered(sql, listener)
  await first.stop()
  const before = listener.configCache.cursor ?? ''
  await sql`update cards set status = 'suspended' where id = ${tenant.cardId}`
  t.ok((await changesKept(sql)) > 0)
  let now = ''
  await until(async () => {
    // A change stays while a running transaction is older than it, in any database of this
    // PostgreSQL.
    const [row] = await sql<{ cursor: string }[]>`select pg_current_snapshot()::text as cursor`
    now = row?.cursor ?? ''
    await pruneChanges(sql, now)
    return (await changesKept(sql)) === 0
  })
  t.equal(await pruneChanges(sql, now), 0)
  t.equal(listener.configCache.cursor, before)
  link(t, database, listener)
  await covered(sql, listener)
  t.equal(listener.configCache.card(tenant.cardId)?.status, 'suspended')
  t.same(await differences(sql, listener.configCache, []), [])
})

async function changesKept(sql: Sql): Promise<number> {
  const [row] = await sql<{ count: number }[]>`
    select count(*)::integer as count from config_change where not removed`
  return row?.count ?? 0
}
