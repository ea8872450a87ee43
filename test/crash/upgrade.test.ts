// An upgrade over one version with data that the earlier version wrote (test/fixtures/upgrade-N),
// and the way back: today's migrations and processes go on with it, the earlier version's
// statements go on working beside them, its own processes go on with what today's wrote, and then
// today's again.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { type Test, test } from 'tap'
import { readMigrations } from '../../api/database/migrate.ts'
import type { Sql } from '../../api/database/pool.ts'
import { openNetwork } from '../../scripts/simulate/network.ts'
import type { SandboxCard } from '../../scripts/start/sandbox-secrets.ts'
import { systemClock } from '../../shared/clock.ts'
import { newId } from '../../shared/id.ts'
import type { NetworkMessage } from '../../shared/schemas/network-message.ts'
import {
  codeOf,
  FIXTURES,
  needsCodeOf,
  RELEASES,
  type Restored,
  restoreRelease,
} from '../faults/earlier-release.ts'
import { authorization } from '../faults/load.ts'
import { openPart } from '../faults/part.ts'
import { runNodeScript } from '../faults/script.ts'
import { COMPILED } from '../harness/compiled.ts'
import { freePort } from '../harness/free-ports.ts'
import { SEGMENT_BYTES } from '../harness/segment-bytes.ts'
import { until } from '../harness/until.ts'

const TODAY = join(import.meta.dirname, '../..')
const MESSAGES = 12

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

/** Plans the earlier version's statements before and after today's migrations, which it runs. */
async function migrates(
  t: Test,
  name: string,
  { sql, environment, migrations }: Restored,
): Promise<void> {
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
}

/** Lives of both versions' processes on the same data, one after the other. */
async function openLives({ sql, environment, expected }: Restored) {
  const [enginePort, apiPort] = [await freePort(), await freePort()]
  const directory = environment['SVC_DATA_DIR'] ?? ''
  const all = {
    ...COMPILED,
    PATH: process.env['PATH'],
    ...environment,
    SVC_ENGINE_PORT: String(enginePort),
    SVC_API_PORT: String(apiPort),
    SVC_WEBHOOK_ALLOW_CIDRS: '127.0.0.0/8',
    SVC_JOURNAL_SEGMENT_BYTES: String(SEGMENT_BYTES),
  }
  const engineUrl = 'http://127.0.0.1:' + enginePort
  const { keys, network: credentials, programs } = expected.secrets
  const [card] = expected.cards
  if (card === undefined) throw new Error('the fixture has no card')
  const answered = new Map<NetworkMessage, string>()
  const holders = [expected.holder]

  const call = (method: string, path: string, body?: object) =>
    fetch('http://127.0.0.1:' + apiPort + path, {
      method,
      headers: {
        authorization: 'Bearer ' + keys.admin,
        'content-type': 'application/json',
        'idempotency-key': newId('idem', systemClock.nowMs()),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })

  /** Asks everything again that another life answered, and twelve new messages. */
  async function authorizes(t: Test, version: string): Promise<void> {
    const network = openNetwork({ engine_url: engineUrl, network: credentials }, systemClock, 1)
    const ask = async (message: NetworkMessage): Promise<string> => {
      const { answer, body } = await network.send(message)
      if (answer === null) throw new Error(version + ' did not answer')
      return body.toString()
    }
    const changed: string[] = []
    for (const [message, text] of answered)
      if ((await ask(message)) !== text) changed.push(message.id)
    t.same(changed, [], version + ' answers every repeat as the other version did')
    for (let turn = 0; turn < MESSAGES; turn++) {
      const message = authorization(card as SandboxCard, 100 + turn)
      answered.set(message, await ask(message))
    }
    network.close()
    const texts = [...answered.values()].slice(-MESSAGES)
    t.ok(
      texts.every((text) => JSON.parse(text).approved === true),
      texts.join(' '),
    )
  }

  /** Everything of before is shown, and a holder is added. */
  async function shows(t: Test, version: string): Promise<void> {
    const shown = await call('GET', '/v1/cardholders/' + expected.holder)
    t.match(await shown.json(), { name: 'Ada Lovelace' })
    for (const id of holders)
      t.equal((await call('GET', '/v1/cardholders/' + id)).status, 200, version + ' shows ' + id)
    t.equal((await call('GET', '/v1/card_transactions?limit=100')).status, 200)
    const body = { program_id: programs['plain'], name: 'Ada ' + version }
    const made = await call('POST', '/v1/cardholders', body)
    const holder = (await made.json()) as { id?: string }
    t.ok(made.ok && holder.id !== undefined, version + ': ' + JSON.stringify(holder))
    holders.push(holder.id ?? '')
  }

  /** Runs a version's processes until PostgreSQL has all that they answered. */
  return async (t: Test, root: string, version: string): Promise<void> => {
    const engine = openPart(join(root, 'engine/main.ts'), directory, all)
    const api = openPart(join(root, 'api/main.ts'), directory, all)
    const stop = async (): Promise<void> => {
      await api.stop()
      await engine.stop()
    }
    t.teardown(stop)
    await engine.start()
    await api.start()
    await until(async () => (await fetch(engineUrl + '/health/ready')).status === 200)
    await authorizes(t, version)
    await shows(t, version)
    const ids = [...answered.keys()].map(({ id }) => id)
    await until(async () => {
      const [row] = await sql<{ count: number }[]>`
        select count(distinct message_id)::int as count from card_transaction_messages
        where message_id = any (${ids})`
      return row?.count === ids.length
    })
    await stop()
  }
}

/** The commands find no fault in audit log and journal. */
async function verified(t: Test, { environment }: Restored): Promise<void> {
  for (const script of ['scripts/audit.ts', 'scripts/journal.ts']) {
    const { code, output } = await runNodeScript(script, ['verify'], environment)
    t.equal(code, 0, output)
  }
}

for (const name of RELEASES)
  test(name + ': today’s version goes on with its data, and it with today’s', async (t) => {
    const restored = await restoreRelease(t, name)
    const { sql, expected } = restored
    await t.test('its statements go on working on today’s schema', (t) =>
      migrates(t, name, restored),
    )
    const live = await openLives(restored)

    await t.test('today’s processes go on with its data', async (t) => {
      await live(t, TODAY, 'today')
      const rows = await sql<{ message_id: string; transaction_id: string }[]>`
        select message_id, transaction_id from card_transaction_messages where message_id is not null`
      const kept = new Map(rows.map((row) => [row.message_id, row.transaction_id]))
      const counted = expected.answers.filter((answer) => answer.transaction_id !== null)
      t.same(
        counted.filter((answer) => kept.get(answer.id) !== answer.transaction_id),
        [],
        'each answer of then is there',
      )
      await verified(t, restored)
    })

    await t.test(
      'its own processes go on with what today’s wrote, and then today’s again',
      needsCodeOf(name),
      async (t) => {
        await live(t, codeOf(t, name), name)
        await live(t, TODAY, 'today again')
        await verified(t, restored)
      },
    )
  })
