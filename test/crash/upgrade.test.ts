// An upgrade over one version with data that the earlier version wrote (test/fixtures/upgrade-N):
// today's migrations and processes go on with it, and the earlier version's statements go on
// working beside them.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { test } from 'tap'
import { readMigrations } from '../../api/database/migrate.ts'
import type { Sql } from '../../api/database/pool.ts'
import { openNetwork } from '../../scripts/simulate/network.ts'
import { systemClock } from '../../shared/clock.ts'
import { FIXTURES, RELEASES, restoreRelease } from '../faults/earlier-release.ts'
import { authorization } from '../faults/load.ts'
import { openPart } from '../faults/part.ts'
import { runNodeScript } from '../faults/script.ts'
import { COMPILED } from '../harness/compiled.ts'
import { freePort } from '../harness/free-ports.ts'
import { until } from '../harness/until.ts'

/** Columns without which an insert fails: `not null` and no default of any kind. */
async function requiredColumns(sql: Sql): Promise<ReadonlySet<string>> {
  const rows = await sql<{ name: string }[]>`
    select table_name || '.' || column_name as name from information_schema.columns
    where table_schema = 'public' and is_nullable = 'NO' and column_default is null
      and is_identity = 'NO' and is_generated = 'NEVER'`
  return new Set(rows.map((row) => row.name))
}

async function tablesOf(sql: Sql): Promise<ReadonlySet<string>> {
  const rows = await sql<{ name: string }[]>`
    select table_name as name from information_schema.tables where table_schema = 'public'`
  return new Set(rows.map((row) => row.name))
}

/** Statements of the earlier version. PostgreSQL plans no LISTEN, LOCK or CREATE. */
function plannable(name: string): string[] {
  const file = readFileSync(join(FIXTURES, name, 'statements.json.gz'))
  const statements = JSON.parse(gunzipSync(file).toString()) as string[]
  return statements.filter((statement) => /^(select|insert|update|delete|with)\b/i.test(statement))
}

/** Statements that PostgreSQL cannot plan, with its reason. */
async function unplanned(sql: Sql, statements: readonly string[]): Promise<string[]> {
  const problems: string[] = []
  const connection = await sql.reserve()
  for (const statement of statements) {
    try {
      await connection.unsafe('prepare earlier as ' + statement)
      await connection.unsafe('deallocate earlier')
    } catch (error) {
      problems.push(String(error) + ' in ' + statement)
    }
  }
  connection.release()
  return problems
}

async function get(url: string, key: string): Promise<{ status: number; body: never }> {
  const answer = await fetch(url, { headers: { authorization: 'Bearer ' + key } })
  return { status: answer.status, body: (await answer.json()) as never }
}

for (const name of RELEASES) {
  test(name + ': its statements go on working on today’s schema', async (t) => {
    const { sql, environment, migrations } = await restoreRelease(t, name)
    const statements = plannable(name)
    t.ok(statements.length > 100, statements.length + ' statements')
    t.same(await unplanned(sql, statements), [], 'the fixture fits its own schema')
    const copy = join(environment['SVC_DATA_DIR'] ?? '', '..', 'copy-of-today')
    const backedUp = await runNodeScript('scripts/backup.ts', ['--to', copy], environment)
    t.equal(backedUp.code, 0, 'today’s backup before the migrations: ' + backedUp.output)
    const checked = await runNodeScript('scripts/restore.ts', ['--from', copy, '--check'])
    t.equal(checked.code, 0, checked.output)
    const [required, tables] = [await requiredColumns(sql), await tablesOf(sql)]
    const migrated = await runNodeScript('scripts/migrate.ts', [], environment)
    t.equal(migrated.code, 0, migrated.output)
    t.ok(readMigrations().length > migrations, 'there is something to migrate')
    t.same(await unplanned(sql, statements), [])
    t.same(
      [...(await requiredColumns(sql))].filter(
        (column) => !required.has(column) && tables.has(column.split('.')[0] ?? ''),
      ),
      [],
      'a row that the earlier version inserts lacks no column',
    )
  })

  test(name + ': today’s processes go on with its data', async (t) => {
    const { sql, environment, expected } = await restoreRelease(t, name)
    const migrated = await runNodeScript('scripts/migrate.ts', [], environment)
    t.equal(migrated.code, 0, migrated.output)
    const [enginePort, apiPort] = [await freePort(), await freePort()]
    const all = {
      ...COMPILED,
      PATH: process.env['PATH'],
      ...environment,
      SVC_ENGINE_PORT: String(enginePort),
      SVC_API_PORT: String(apiPort),
      SVC_WEBHOOK_ALLOW_CIDRS: '127.0.0.0/8',
    }
    const directory = environment['SVC_DATA_DIR'] ?? ''
    const engine = openPart('engine/main.ts', directory, all)
    const api = openPart('api/main.ts', directory, all)
    t.teardown(async () => {
      await api.stop()
      await engine.stop()
    })
    await engine.start()
    await api.start()
    const engineUrl = 'http://127.0.0.1:' + enginePort
    const apiUrl = 'http://127.0.0.1:' + apiPort
    await until(async () => (await fetch(engineUrl + '/health/ready')).status === 200)
    const { keys, network: credentials } = expected.secrets
    const counted = expected.answers.filter((answer) => answer.transaction_id !== null)
    const rows = await sql<{ message_id: string; transaction_id: string }[]>`
      select message_id, transaction_id from card_transaction_messages where message_id is not null`
    const kept = new Map(rows.map((row) => [row.message_id, row.transaction_id]))
    t.same(
      counted.filter((answer) => kept.get(answer.id) !== answer.transaction_id),
      [],
      'each answer of then is there',
    )
    const holder = await get(apiUrl + '/v1/cardholders/' + expected.holder, keys.read)
    t.match(holder, { status: 200, body: { name: 'Ada Lovelace' } })
    const list = await get(apiUrl + '/v1/card_transactions?limit=100', keys.read)
    t.equal(list.status, 200)

    const network = openNetwork({ engine_url: engineUrl, network: credentials }, systemClock, 1)
    const [card] = expected.cards
    if (card === undefined) throw new Error('the fixture has no card')
    const { answer } = await network.send(authorization(card, 100))
    network.close()
    t.equal(answer?.approved, true, JSON.stringify(answer))
    await until(async () => {
      const [row] = await sql<{ count: number }[]>`
        select count(*)::int as count from card_transactions where id = ${answer?.transaction_id ?? ''}`
      return row?.count === 1
    })
    for (const script of ['scripts/audit.ts', 'scripts/journal.ts']) {
      const { code, output } = await runNodeScript(script, ['verify'], environment)
      t.equal(code, 0, output)
    }
  })
}
