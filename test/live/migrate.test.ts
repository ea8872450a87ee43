import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { test } from 'tap'
import { AwaitedMigrations } from '../../api/database/awaited-migrations.ts'
import { type Migration, migrate, readMigrations } from '../../api/database/migrate.ts'
import type { Sql } from '../../api/database/pool.ts'
import { versionProblem } from '../../api/database/server-version.ts'
import { systemClock } from '../../shared/clock.ts'
import { killDispatcher, startDispatcher } from '../harness/dispatcher-process.ts'
import { silentLog } from '../harness/engine-listener.ts'
import { startGatedServers } from '../harness/gated-servers.ts'
import { openTestDatabase, openUnmigratedDatabase } from '../harness/postgres.ts'
import { seedTenant } from '../harness/tenant.ts'
import { until } from '../harness/until.ts'

const SCRIPT = fileURLToPath(new URL('../../scripts/migrate.ts', import.meta.url))

function migration(number: number, text: string): Migration {
  return { number, name: `000${number}-test.sql`, text, sha256: 'hash of ' + text }
}

const FIRST = migration(1, 'create table one (a int); insert into one values (1)')
const SECOND = migration(2, 'create table two (a int)')

/**
 * Makes a database look one migration too old. Resolves with that migration's name and a function
 * that applies it.
 */
async function takeNewest(sql: Sql): Promise<{ name: string; bring(): PromiseLike<unknown> }> {
  const [row] = await sql<[{ name: string }]>`
    delete from migration_history where number = (select max(number) from migration_history)
    returning *`
  return { name: row.name, bring: () => sql`insert into migration_history ${sql(row)}` }
}

/** Rows of every table that feeds a config record, all owned by one tenant. */
async function seedConfig(sql: Sql): Promise<void> {
  const owner = { tenant_id: 'ten_1', environment: 'sandbox' }
  const made = { ...owner, created_at: 0 }
  await sql`insert into derivation_root values ('root', 'sealed')`
  await sql`insert into network_keys values ('nkey_1', 'net', 'sandbox', 'sealed', 0)`
  await sql`insert into tenants values ('ten_1', 'Tenant', '2026-01-01', 0)`
  await sql`insert into webhook_endpoints ${sql({ id: 'we_1', url: 'https://a.test', ...made })}`
  await sql`insert into programs ${sql({ id: 'prog_1', name: 'P', status: 'active', ...made })}`
  const holder = { id: 'ch_1', program_id: 'prog_1', name: 'C', status: 'active', ...made }
  await sql`insert into cardholders ${sql(holder)}`
  const card = {
    id: 'card_1',
    program_id: 'prog_1',
    cardholder_id: 'ch_1',
    type: 'virtual',
    status: 'active',
    token: 'token',
    fingerprint: 'fingerprint',
    sealed_pan: 'sealed',
    last4: '7899',
    exp_month: 1,
    exp_year: 2030,
    cvc_verifier: 'v',
    currency: 'EUR',
    ...made,
  }
  await sql`insert into cards ${sql(card)}`
  await sql`insert into controls ${sql({ subject_id: 'card_1', scope: 'card', ...owner })}`
}

/** The changes recorded while the work ran, in order, as `type id version`. */
async function changesOf(sql: Sql, work: () => PromiseLike<unknown>): Promise<string[]> {
  const [{ last }] = await sql<[{ last: number }]>`
    select coalesce(max(seq), 0) as last from config_change`
  await work()
  const rows = await sql<{ change: string }[]>`
    select type || ' ' || id || ' ' || version || case when removed then ' removed' else '' end as change
    from config_change where seq > ${last} order by seq`
  return rows.map((row) => row.change)
}

test('migrations run once, in order, and are reported', async (t) => {
  const { sql, url } = await openUnmigratedDatabase(t)
  const said: string[] = []
  const run = (migrations: readonly Migration[]) =>
    migrate(url, (text) => said.push(text), { migrations })
  t.same([await run([FIRST]), await run([FIRST, SECOND]), await run([FIRST, SECOND])], [1, 1, 0])
  t.same(said, ['applied 0001-test.sql', 'applied 0002-test.sql'])
  t.same(await sql`select a from one`, [{ a: 1 }])
})

test('a failed migration leaves nothing of itself, and those before it stay', async (t) => {
  const { sql, url } = await openUnmigratedDatabase(t)
  const broken = migration(2, 'create table two (a int); select 1 / 0')
  await t.rejects(
    migrate(url, () => {}, { migrations: [FIRST, broken] }),
    /division by zero/,
  )
  const tables = await sql`
    select table_name from information_schema.tables where table_schema = 'public' order by 1`
  t.same(
    tables.map((row) => row['table_name']),
    ['migration_history', 'one'],
  )
  t.equal(await migrate(url, () => {}, { migrations: [FIRST, SECOND] }), 1)
})

test('concurrent migrations of several processes run once', async (t) => {
  const { sql, url } = await openUnmigratedDatabase(t)
  const runs = Array.from({ length: 4 }, () => migrate(url, () => {}))
  const applied = (await Promise.all(runs)).reduce((sum, count) => sum + count, 0)
  t.equal(applied, readMigrations().length)
  const [{ kept }] = await sql<[{ kept: number }]>`select count(*) as kept from migration_history`
  t.equal(kept, readMigrations().length)
})

test('an edited migration and a newer database are refused by name', async (t) => {
  const { url } = await openUnmigratedDatabase(t)
  await migrate(url, () => {}, { migrations: [FIRST, SECOND] })
  const edited = { ...SECOND, sha256: 'another' }
  await t.rejects(
    migrate(url, () => {}, { migrations: [FIRST, edited] }),
    {
      name: 'MigrationRefused',
      message: /0002-test\.sql/,
    },
  )
  await t.rejects(
    migrate(url, () => {}, { migrations: [FIRST] }),
    {
      name: 'MigrationRefused',
      message: /newer version \(0002-test\.sql\)/,
    },
  )
})

test('a database made before the first release is refused with what to do, and never served', async (t) => {
  const { sql, url } = await openUnmigratedDatabase(t)
  await migrate(url, () => {}, { migrations: [FIRST] })
  await sql`update migration_history set name = '0001-authorization-line.sql'`
  await t.rejects(
    migrate(url, () => {}),
    {
      name: 'MigrationRefused',
      message: /before the first release .* give svc an empty database/,
    },
  )
  const migrations = new AwaitedMigrations({ sql, clock: systemClock, log: silentLog })
  t.equal(await migrations.missing(), '0001-infrastructure.sql')
})

test('npm run migrate reports an error in one sentence, without the password', async (t) => {
  const { url } = await openUnmigratedDatabase(t)
  const run = (databaseUrl: string, ...details: string[]) => {
    const ran = spawnSync(process.execPath, [SCRIPT, ...details], {
      env: { ...process.env, DATABASE_URL: databaseUrl },
      encoding: 'utf8',
    })
    return { status: ran.status, text: ran.stdout + ran.stderr }
  }
  const password = new URL(url).password
  t.match(run(''), { status: 1, text: 'DATABASE_URL must be set' })
  t.match(run('mysql://x'), { status: 1, text: 'must be a URL starting with postgres://' })
  t.match(run(url.replace(password, 'guess')), { status: 1, text: /refuses the password of user/ })
  t.match(run(url + '_none'), { status: 1, text: /has no database "test_\w+_none"/ })
  t.match(run(url.replace(/:\d+\//, ':1/')), { status: 1, text: /nothing listens on 127.0.0.1:1/ })
  t.match(run('', '--help'), { status: 0, text: /Usage: npm run migrate/ })
  const all = [run(url), run(url), run(url + '_none')]
  t.match(all, [{ status: 0, text: /Done/ }, { status: 0, text: /up to date/ }, { status: 1 }])
  t.notOk(all.some((ran) => ran.text.includes(password) || ran.text.includes('guess')))
})

test('every change of a config record is recorded with its type, id and next version', async (t) => {
  const { sql } = await openTestDatabase(t)
  t.same(await changesOf(sql, () => seedConfig(sql)), [
    'root root 1',
    'network_key nkey_1 1',
    'endpoint we_1 1',
    'program prog_1 1',
    'cardholder ch_1 1',
    'card card_1 1',
    'controls card_1 1',
  ])
  const suspend = () => sql`update cards set status = 'suspended' where id = 'card_1'`
  t.same(await changesOf(sql, suspend), ['card card_1 2'])
  // No statement can set a version: it only grows.
  const forge = () => sql`update cards set version = 99, status = 'active' where id = 'card_1'`
  t.same(await changesOf(sql, forge), ['card card_1 3'])
  const remove = () => sql`delete from controls where subject_id = 'card_1'`
  t.same(await changesOf(sql, remove), ['controls card_1 2 removed'])
})

test('a secret belongs to its endpoint’s config record, a pinned version to its tenant’s programs', async (t) => {
  const { sql } = await openTestDatabase(t)
  await seedConfig(sql)
  const add = () => sql`insert into webhook_secrets values ('whs_1', 'we_1', 0, 'sealed', 0)`
  const revoke = () => sql`update webhook_secrets set revoked_at = 1 where id = 'whs_1'`
  const drop = () => sql`delete from webhook_secrets where id = 'whs_1'`
  t.same(await changesOf(sql, add), ['endpoint we_1 2'])
  t.same(await changesOf(sql, revoke), ['endpoint we_1 3'])
  t.same(await changesOf(sql, drop), ['endpoint we_1 4'])
  const pin = () => sql`update tenants set api_version = '2026-06-01' where id = 'ten_1'`
  t.same(await changesOf(sql, pin), ['program prog_1 2'])
  const rename = () => sql`update tenants set name = 'Other' where id = 'ten_1'`
  t.same(await changesOf(sql, rename), [])
})

test('a rolled back change is not recorded, and a committed one wakes the listener', async (t) => {
  const { sql } = await openTestDatabase(t)
  await seedConfig(sql)
  const woken = Promise.withResolvers<string>()
  await sql.listen('svc_config', woken.resolve)
  const undone = () =>
    sql`
      do $$ begin
        update cards set status = 'suspended';
        raise exception 'undone';
      exception when others then null;
      end $$`
  t.same(await changesOf(sql, undone), [])
  await sql`update cards set status = 'suspended' where id = 'card_1'`
  t.equal(await woken.promise, '')
})

test('a clone of a database has another database id', async (t) => {
  const [left, right] = [await openTestDatabase(t), await openTestDatabase(t)]
  const identities = await Promise.all(
    [left, right].map(async ({ sql }) => {
      const [row] = await sql<[{ identity: string }]>`select database_identity() as identity`
      return row.identity
    }),
  )
  const [first, second] = identities.map((identity) => identity.split(':'))
  t.same(first!.slice(0, 3), second!.slice(0, 3), 'both come from one template on one server')
  t.not(first![3], second![3])
})

test('events of days before an upgrade and of days after it have the index of rare types', async (t) => {
  const { sql, url } = await openUnmigratedDatabase(t)
  const all = readMigrations()
  const before = all.filter(({ number }) => number < 58)
  await migrate(url, () => {}, { migrations: before })
  const unindexed = () => sql<{ day: string }[]>`
    select i.inhrelid::regclass::text as day from pg_inherits i
    where i.inhparent = 'events'::regclass and not exists (
      select from pg_inherits j join pg_index x on x.indexrelid = j.inhrelid
      where j.inhparent = to_regclass('events_by_rare_type') and x.indrelid = i.inhrelid
        and x.indisvalid
    )`
  const old = (await unindexed()).length
  t.ok(old > 2, 'there are days without it')
  await migrate(url, () => {}, { migrations: all.filter(({ number }) => number < 59) })
  t.equal((await unindexed()).length, old, 'the first file reads no event')
  // A dispatcher of the release before goes on making days.
  const now = systemClock.nowMs()
  await sql`select make_days(${now}, 9)`
  t.equal((await unindexed()).length, old, 'a new day has it already')
  await migrate(url, () => {})
  await sql`select make_days(${now}, 11)`
  t.same(await unindexed(), [])
  const [index] = await sql`
    select indisvalid as valid from pg_index where indexrelid = 'events_by_rare_type'::regclass`
  t.same(index, { valid: true })
})

test('ended deliveries of days before and during an upgrade have one index of each list', async (t) => {
  for (const { joinedBy, starts, index } of [
    { joinedBy: 88, starts: 'tenant_id, environment, id', index: 'ended_deliveries_in_list' },
    { joinedBy: 92, starts: 'endpoint_id, ', index: 'ended_deliveries_of_kind' },
  ]) {
    const { sql, url } = await openUnmigratedDatabase(t)
    const before = readMigrations().filter(({ number }) => number < joinedBy)
    await migrate(url, () => {}, { migrations: before })
    await sql`select make_days(${systemClock.nowMs()}, 9)`
    await migrate(url, () => {})
    await sql`select make_days(${systemClock.nowMs()}, 11)`
    const days = await sql`
      select i.inhrelid::regclass::text as day, array(
        select j.inhparent::regclass::text
        from pg_index x left join pg_inherits j on j.inhrelid = x.indexrelid
        where x.indrelid = i.inhrelid and strpos(pg_get_indexdef(x.indexrelid), ${'(' + starts}) > 0
      ) as parents
      from pg_inherits i where i.inhparent = 'ended_deliveries'::regclass`
    t.ok(days.length > 11, 'days before, during and after it, and the rest')
    for (const { day, parents } of days) t.same(parents, [index], day)
  }
})

test('an upgrade builds indexes of one table at a time', (t) => {
  const files = readMigrations().filter(({ number }) => number >= 51)
  t.ok(files.length > 0)
  for (const { name, text } of files) {
    const made = new Set([...text.matchAll(/create table (\w+)/g)].map(([, table]) => table))
    const indexes = text.matchAll(/create (?:unique )?index [^;]*?\bon (?:only )?(\w+)/g)
    const tables = new Set([...indexes].map(([, table]) => table))
    t.ok([...tables].filter((table) => !made.has(table)).length <= 1, name)
  }
  t.end()
})

test('a network name belongs to one environment', async (t) => {
  const { sql } = await openTestDatabase(t)
  const add = (id: string, network: string, environment: string) => sql`
    insert into network_keys (id, network, environment, sealed_secret, created_at)
    values (${id}, ${network}, ${environment}, 'sealed', 1)`
  await add('nkey_1', 'one', 'sandbox')
  await add('nkey_2', 'one', 'sandbox')
  await add('nkey_3', 'two', 'live')
  await t.rejects(add('nkey_4', 'one', 'live'), { code: '23505' })
  await t.rejects(sql`update network_keys set environment = 'live' where id = 'nkey_1'`, {
    code: '23505',
  })
})

test('the API serves no call on a schema older than its code, and names the remedy', async (t) => {
  let passedNs = 0
  const clock = { ...systemClock, monotonicNs: () => systemClock.monotonicNs() + passedNs }
  const { database, servers } = await startGatedServers(t, 1, { clock })
  const server = servers[0]!
  const { keys } = await seedTenant(database.sql, 'sandbox')
  const { name, bring } = await takeNewest(database.sql)
  const status = async () => [
    (await server.call('/health/ready')).status,
    (await server.call('/v1/probe', { key: keys.read })).status,
  ]
  const [ready, called] = [
    await server.call('/health/ready'),
    await server.call('/v1/probe', { key: keys.read }),
  ]
  for (const answer of [ready, called]) {
    t.match(answer, { status: 503, headers: { 'retry-after': '1' } })
    t.equal(answer.body.error.code, 'dependency_unavailable')
  }
  t.match(ready.body.error.message, name)
  t.match(ready.body.error.message, 'npm run migrate')
  t.equal((await server.call('/health/live')).status, 200)
  t.equal((await server.call('/openapi.json')).status, 200)

  passedNs += 1e9
  t.same(await status(), [503, 503])
  await bring()
  passedNs += 1e9
  t.same(await status(), [200, 200])
  await database.sql`drop table migration_history`
  passedNs += 1e9
  t.same(await status(), [200, 200], 'nothing is asked any more')
})

test('the dispatcher waits for its code’s migrations, with one log line', async (t) => {
  const { sql, url } = await openTestDatabase(t)
  const { bring } = await takeNewest(sql)
  const starting = startDispatcher(url)
  const looks = async () => {
    const rows = await sql<{ at: string }[]>`
      select query_start::text as at from pg_stat_activity
      where datname = current_database() and application_name = 'svc-dispatcher'
        and query like '%from migration_history%' and state = 'idle'`
    return rows.map(({ at }) => at)
  }
  await until(async () => (await looks()).length > 0)
  const [first] = await looks()
  await until(async () => (await looks()).some((at) => at !== first))
  await bring()
  const dispatcher = await starting
  await until(() => dispatcher.log().includes('the database has every migration now'))
  await killDispatcher(dispatcher)
  t.equal(dispatcher.log().match(/npm run migrate/g)?.length, 1)
  t.notMatch(dispatcher.log(), 'a timer failed')
})

test('a too old PostgreSQL is named, and the oldest supported one is accepted', (t) => {
  t.equal(versionProblem(130_023), 'DATABASE_URL: PostgreSQL 13 is too old: svc needs 14 or later.')
  t.equal(versionProblem(140_000), null)
  t.equal(versionProblem(180_004), null)
  t.end()
})
