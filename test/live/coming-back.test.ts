// Engine and database reconnect: after a takeover, after a kill or hang of PostgreSQL, and with
// histories that do not match.
import { pino } from 'pino'
import { test } from 'tap'
import { AwaitedMigrations } from '../../api/database/awaited-migrations.ts'
import { migrate, readMigrations } from '../../api/database/migrate.ts'
import { openPool } from '../../api/database/pool.ts'
import { acceptLoss } from '../../api/engine-link/accept-loss.ts'
import { simulatedDisk } from '../../engine/journal/simulated-log.ts'
import { systemClock } from '../../shared/clock.ts'
import { bytesFor, clean, engineStatus, link, tally } from '../harness/drain.ts'
import { openEngineListener } from '../harness/engine-listener.ts'
import { startMigratedPostgres } from '../harness/migrated-postgres.ts'
import { openTestDatabase, openUnmigratedDatabase } from '../harness/postgres.ts'
import { seedTenant } from '../harness/tenant.ts'
import { until } from '../harness/until.ts'

const clock = systemClock

test('the drain resumes by itself after PostgreSQL was killed, restarted and hung', async (t) => {
  let postgres = await startMigratedPostgres(t)
  const sql = openPool(postgres.url, { max: 2, applicationName: 'svc-test' })
  t.teardown(() => sql.end({ timeout: 1 }))
  const listener = await openEngineListener(t)
  const tenant = await seedTenant(sql, 'sandbox')
  const started = link(t, postgres.url, listener)
  listener.write(...bytesFor([tenant], 300))
  await until(() => listener.drainedSeq > 0)
  process.kill(postgres.pid, 'SIGKILL')
  await postgres.exited
  listener.write(...bytesFor([tenant], 300))
  postgres = await postgres.restart()
  await until(() => listener.drainedSeq === 600)
  t.match(await tally(sql), clean(600))

  process.kill(postgres.pid, 'SIGSTOP')
  const [backend] = await sql<{ pid: number }[]>`
    select pid from pg_stat_activity where application_name = 'svc-link-lead'`
  process.kill(backend?.pid ?? 0, 'SIGSTOP')
  listener.write(...bytesFor([tenant], 10))
  await until(() => !started.state().attached)
  process.kill(postgres.pid, 'SIGCONT')
  process.kill(backend?.pid ?? 0, 'SIGCONT')
  await until(() => listener.drainedSeq === 610)
  t.match(await tally(sql), clean(610))
})

test('an outdated database schema is waited for, with one log line', async (t) => {
  const { sql, url } = await openUnmigratedDatabase(t)
  const all = readMigrations()
  await migrate(url, () => {}, { migrations: all.slice(0, -1) })
  const lines: string[] = []
  const log = pino({ level: 'info' }, { write: (line: string) => lines.push(line) })
  const listener = await openEngineListener(t)
  const migrations = new AwaitedMigrations({ sql, clock: systemClock, log })
  let looks = 0
  const missing = (): Promise<string | null> => {
    looks += 1
    return migrations.missing()
  }
  const started = link(t, url, listener, { migrations: { missing }, log })
  await until(() => looks > 3)
  t.match(started.state(), { leading: false, attached: false, refused: null })
  const led = await sql`
    select 1 from pg_stat_activity
    where datname = current_database() and application_name = 'svc-link-lead'`
  t.equal(led.length, 0, 'nothing is asked meanwhile')
  await migrate(url, () => {})
  await until(() => started.state().attached)
  t.same(
    lines.map((line) => JSON.parse(line).msg),
    [
      'waiting: the database is older than this version: npm run migrate',
      'the database has every migration now',
      'linked to the engine',
    ],
  )
})

test('a database of another journal is refused until an operator decides', async (t) => {
  const { sql, url } = await openTestDatabase(t)
  const listener = await openEngineListener(t, { disk: simulatedDisk('journal-new') })
  const tenant = await seedTenant(sql, 'sandbox')
  listener.write(...bytesFor([tenant], 10))
  await sql`insert into journal_cursor (journal_id, seq) values ('journal-old', 42)`
  const started = link(t, url, listener)
  await until(() => started.state().refused !== null)
  t.match(started.state(), { attached: false, refused: /journal-old up to entry 42.*accept-loss/ })
  t.equal(listener.configCache.cursor, null)
  t.match(await tally(sql), clean(0, 42))
  const status = await engineStatus(t, listener)
  t.match(await acceptLoss(sql, status, { journalId: 'journal-new', shard: 's1' }), {
    ok: false,
    error: /follows journal journal-old/,
  })
  t.match(await acceptLoss(sql, status, { journalId: 'journal-old', shard: 's1' }), {
    ok: true,
    value: { seq: 0 },
  })
  await until(() => listener.drainedSeq === 10)
  t.match(started.state(), { attached: true, leading: true, refused: null })
  t.match(await tally(sql), clean(10))
})

test('one process links at a time, and the next takes over within about a second', async (t) => {
  const { sql, url } = await openTestDatabase(t)
  const listener = await openEngineListener(t)
  const tenant = await seedTenant(sql, 'sandbox')
  const one = link(t, url, listener)
  await until(() => one.state().attached)
  const two = link(t, url, listener)
  listener.write(...bytesFor([tenant], 10))
  await until(() => listener.drainedSeq === 10)
  t.match(two.state(), { leading: false, attached: false })
  await one.stop()
  const startedNs = clock.monotonicNs()
  await until(() => two.state().attached)
  t.comment('took over in ' + Math.round((clock.monotonicNs() - startedNs) / 1e6) + ' ms')
  listener.write(...bytesFor([tenant], 10))
  await until(() => listener.drainedSeq === 20)
  t.match(await tally(sql), clean(20))
})

test('an operator may continue from an older copy of the journal than the database', async (t) => {
  const { sql, url } = await openTestDatabase(t)
  const listener = await openEngineListener(t)
  const tenant = await seedTenant(sql, 'sandbox')
  listener.write(...bytesFor([tenant], 10))
  await sql`insert into journal_cursor (journal_id, seq) values ('journal-a', 25)`
  const started = link(t, url, listener)
  await until(() => started.state().refused !== null)
  t.match(started.state().refused, /copy ends at 10/)
  const status = await engineStatus(t, listener)
  t.match(await acceptLoss(sql, status, { journalId: 'journal-a', shard: 's1' }), {
    ok: true,
    value: { seq: 10 },
  })
  await until(() => started.state().attached)
  listener.write(...bytesFor([tenant], 5))
  await until(() => listener.drainedSeq === 15)
  t.match(await tally(sql), clean(5, 15))
})

test('a database restored from an older copy sends the engine all config records anew', async (t) => {
  const { sql, url } = await openTestDatabase(t)
  const listener = await openEngineListener(t)
  const tenant = await seedTenant(sql, 'sandbox')
  const before = link(t, url, listener)
  await until(() => listener.configCache.card(tenant.cardId) !== null)
  await before.stop()
  const card = listener.configCache.card(tenant.cardId)
  if (card === null) throw new Error('the card is there')
  // A change made after the copy, which the restored database does not know.
  await listener.configCache.apply({
    database_id: listener.configCache.databaseId ?? '',
    step: 'change',
    base: listener.configCache.cursor,
    changes: [{ ...card, version: 99, status: 'suspended' }],
    cursor: '4000000000:4000000000:',
  })
  const identity = listener.configCache.databaseId
  link(t, url, listener)
  await until(() => listener.configCache.card(tenant.cardId)?.status === 'active')
  t.not(listener.configCache.databaseId, identity)
  t.equal(listener.configCache.card(tenant.cardId)?.version, card.version)
})
