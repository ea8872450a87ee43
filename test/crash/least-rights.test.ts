// The roles of deploy/postgres: the service runs under load as the role that has rows only, a
// backup as the role that only reads, and neither can do more.
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'tap'
import { migrate } from '../../api/database/migrate.ts'
import { openPool, type Sql } from '../../api/database/pool.ts'
import { dropDayPartition } from '../../api/webhooks/delivery/day-partitions.ts'
import { giveRights } from '../../scripts/migrate/main.ts'
import { openNetwork } from '../../scripts/simulate/network.ts'
import { systemClock } from '../../shared/clock.ts'
import { authorization } from '../faults/load.ts'
import { runNodeScript } from '../faults/script.ts'
import { startStack } from '../faults/stack.ts'
import { silentLog } from '../harness/engine-listener.ts'
import { startTestPostgres } from '../harness/postgres.ts'
import { as, giveRoles, makeRoles, OF_PROCESSES } from '../harness/roles.ts'
import { until } from '../harness/until.ts'

const DENIED = '42501'

/** Statements that no process may send. */
const NEVER = [
  'create table own (x int)',
  'create temporary table own (x int)',
  'drop table events',
  'alter table cards add x int',
  'truncate events',
  "update audit_log set action = 'x'",
  'delete from audit_log',
  'delete from factor_evidence',
  'delete from ledger_transfers',
  'delete from fx_tables',
  "insert into migration_history values (1, 'x', 'x', 1)",
  'alter table audit_log disable trigger immutable',
  'create role other',
  "alter role svc_app set statement_timeout = '1s'; set role svc_migrate",
  'select * from pg_authid',
  "copy cards to '/tmp/cards'",
  "create or replace function drop_day(name text) returns void language sql as ''",
]

/** A row of these opens the API. */
const WRITES = [
  'insert into operators default values',
  "update operator_approvals set state = 'approved'",
  'insert into api_keys default values',
  'update users set role = role',
]
/** The dispatcher alone makes and drops days of history. */
const DAYS = ['select make_days(0, 1)', "select drop_day('events_20260101')"]

/** Statements that one process may not send. */
const NOT_THEIRS: { readonly [Role in (typeof OF_PROCESSES)[number]]: readonly string[] } = {
  svc_app: [],
  svc_api: DAYS,
  svc_link: [
    'select from passkeys',
    'delete from sessions',
    'select from billing_customers',
    ...WRITES,
    ...DAYS,
  ],
  svc_dispatcher: [
    'select from ledger_accounts',
    'select from ledger_transfers',
    'select from network_keys',
    'delete from fx_rates',
  ],
  svc_settler: [
    'select from webhook_secrets',
    'select from oauth_tokens',
    'select from recovery_codes',
    'insert into clearing_entries default values',
    'delete from billing_customers',
    ...WRITES,
    ...DAYS,
  ],
}

async function denied(sql: Sql, statement: string): Promise<string | null> {
  try {
    await sql.unsafe(statement)
    return statement + ' is allowed'
  } catch (error) {
    const code = (error as { code?: string }).code
    return code === DENIED ? null : statement + ': ' + String(error)
  }
}

test('each role can do its work and nothing more', async (t) => {
  const server = await startTestPostgres(t)
  await makeRoles(server.url)
  await makeRoles(server.url)
  await migrate(as(server.url, 'svc_migrate'), () => undefined)
  await giveRights(as(server.url, 'svc_migrate'))
  const app = openPool(as(server.url, 'svc_app'), { max: 2, applicationName: 'svc-test' })
  const backup = openPool(as(server.url, 'svc_backup'), { max: 1, applicationName: 'svc-test' })
  t.teardown(() => Promise.all([app, backup].map((sql) => sql.end({ timeout: 1 }))))

  for (const role of OF_PROCESSES) {
    const sql = openPool(as(server.url, role), { max: 1, applicationName: 'svc-test' })
    const problems: string[] = []
    for (const statement of [...NEVER, ...NOT_THEIRS[role]]) {
      const problem = await denied(sql, statement)
      if (problem !== null) problems.push(problem)
    }
    await sql.end({ timeout: 1 })
    t.same(problems, [], role)
  }
  t.same(
    (
      await Promise.all(
        [
          'insert into installation default values',
          'delete from cards',
          'create table own (x int)',
          "select drop_day('events_20260101')",
          'select make_days(0, 1)',
        ].map((statement) => denied(backup, statement)),
      )
    ).filter((problem) => problem !== null),
    [],
  )
  const [made] = await app<
    { made: number }[]
  >`select make_days(${systemClock.nowMs() + 20 * 86_400_000}, 0) as made`
  t.equal(made?.made, 3, 'days of history are made with the rights of their owner')
  const [day] = await app<{ name: string }[]>`
    select max(c.relname) as name from pg_inherits i join pg_class c on c.oid = i.inhrelid
    where i.inhparent = 'events'::regclass and c.relname ~ '[0-9]{8}$'`
  const partition = { kept: 'events', name: day?.name ?? '', until: 0 }
  t.equal(await dropDayPartition({ sql: app, log: silentLog }, partition), true)
  await t.rejects(app`select drop_day('cards')`, /is no day of history/)
})

test('each process does its work as its own role; a backup only reads', async (t) => {
  let backupUrl = ''
  const place = t.testdir()
  const anchors = join(place, 'anchors')
  const stack = await startStack(t, {
    dispatcher: true,
    environment: { SVC_AUDIT_ANCHORS: anchors },
    rolesFor: async (url) => {
      await giveRoles(url)
      backupUrl = as(url, 'svc_backup')
      return {
        api: as(url, 'svc_api'),
        link: as(url, 'svc_link'),
        dispatcher: as(url, 'svc_dispatcher'),
      }
    },
  })
  const network = openNetwork(
    { engine_url: stack.engineUrl, network: stack.secrets.network },
    systemClock,
    1,
  )
  t.teardown(() => network.close())
  for (let count = 0; count < 20; count++) {
    const { answer } = await network.send(authorization(stack.card('load_realtime_1'), 100))
    t.equal(answer?.approved, true)
  }
  await stack.drained()
  const made = await fetch(stack.apiUrl + '/v1/cardholders', {
    method: 'POST',
    headers: {
      authorization: 'Bearer ' + stack.secrets.keys.admin,
      'content-type': 'application/json',
      'idempotency-key': 'k1',
    },
    body: JSON.stringify({ program_id: stack.secrets.programs['plain'], name: 'Ada' }),
  })
  t.equal(made.status, 201, await made.text())
  // A dispatcher anchors every head when it starts.
  await stack.dispatcherProcess.kill()
  await stack.dispatcherProcess.start()
  await until(() => existsSync(anchors) && readFileSync(anchors, 'utf8').endsWith('\n'))
  const reading = { DATABASE_URL: backupUrl, SVC_DATA_DIR: stack.directory }
  const copied = await runNodeScript('scripts/backup.ts', ['--to', join(place, 'copy')], reading)
  t.equal(copied.code, 0, copied.output)
  const words = ['verify', '--anchors', anchors]
  const verified = await runNodeScript('scripts/audit.ts', words, reading)
  t.equal(verified.code, 0, verified.output)
  t.match(verified.output, /[1-9]\d* anchors hold/)
})
