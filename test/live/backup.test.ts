// `npm run backup` and `npm run restore`: every table comes back as it was, and nothing that lives,
// was changed or belongs to another version is touched.
import {
  appendFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { type Test, test } from 'tap'
import { migrate } from '../../api/database/migrate.ts'
import type { Sql } from '../../api/database/pool.ts'
import { NOT_COPIED } from '../../scripts/backup/dump-database.ts'
import { newMasterKeyText } from '../../shared/keyring.ts'
import { runNodeScript } from '../faults/script.ts'
import { MASTER_KEY_TEXT } from '../harness/api.ts'
import { peerProcessors } from '../harness/billed.ts'
import { startEngine } from '../harness/engine.ts'
import { furnish } from '../harness/furnished.ts'
import { startIssuingApi } from '../harness/issuing.ts'
import { openTestDatabase, openUnmigratedDatabase } from '../harness/postgres.ts'

interface Place {
  directory: string
  environment: { [name: string]: string }
}

/** A data directory with the journal of an engine that runs, beside a database. */
async function installation(t: Test, url: string): Promise<Place> {
  const engine = await startEngine(t)
  return {
    directory: t.testdir(),
    environment: {
      DATABASE_URL: url,
      SVC_DATA_DIR: engine.directory,
      SVC_MASTER_KEY: MASTER_KEY_TEXT,
    },
  }
}

async function backedUp(t: Test, url: string): Promise<Place & { copy: string }> {
  const place = await installation(t, url)
  const copy = join(place.directory, 'copy')
  const made = await runNodeScript('scripts/backup.ts', ['--to', copy], place.environment)
  t.equal(made.code, 0, made.output)
  return { ...place, copy }
}

/** The rows of every table as text, in their order as text. */
async function contents(sql: Sql): Promise<{ [table: string]: string[] }> {
  const tables = await sql<{ name: string }[]>`
    select relname as name from pg_class
    where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') and not relispartition
      and relname <> all (${NOT_COPIED}::text[]) order by 1`
  const found: { [table: string]: string[] } = {}
  for (const { name } of tables) {
    const rows = await sql<{ line: string }[]>`
      select (to_jsonb(x) - 'xid')::text as line from ${sql(name)} x order by 1`
    found[name] = rows.map((row) => row.line)
  }
  return found
}

/** Partitions of days; a restore after midnight has one more than its backup. */
async function daysOf(sql: Sql): Promise<string[]> {
  const rows = await sql<{ day: string }[]>`
    select inhrelid::regclass::text as day from pg_inherits
    join pg_class c on c.oid = inhrelid and c.relkind = 'r' order by 1`
  return rows.map(({ day }) => day)
}

/** The parts of the schema that a restore handles beside them. */
async function schemaOf(sql: Sql): Promise<unknown> {
  return {
    triggers: await sql`
      select tgrelid::regclass::text as place, tgname, tgenabled from pg_trigger
      where not tgisinternal order by 1, 2`,
    constraints: await sql`
      select conrelid::regclass::text as place, conname, convalidated, pg_get_constraintdef(oid) as text
      from pg_constraint where connamespace = 'public'::regnamespace
        and not conrelid = any(select inhrelid from pg_inherits) order by 1, 2`,
    sequences: await sql`
      select sequencename, last_value from pg_sequences where last_value is not null order by 1`,
    migrations: await sql`select number, name, sha256 from migration_history order by 1`,
  }
}

test('every row of every table comes back, with triggers, keys, partitions and sequences', async (t) => {
  const processors = await peerProcessors(t)
  const api = await startIssuingApi({ billed: { sandbox: true, live: true }, processors })
  await furnish(api, api.tenant)
  const [server] = await api.sql<{ name: string }[]>`select current_database() as name`
  const target = await openUnmigratedDatabase(t)
  const url = target.url.replace(/[^/]+$/, server?.name ?? '')
  const { copy, directory, environment } = await backedUp(t, url)
  const before = await contents(api.sql)
  t.ok(Object.values(before).filter((rows) => rows.length > 0).length > 40, 'many tables have rows')
  const restored = await runNodeScript('scripts/restore.ts', ['--from', copy], {
    ...environment,
    DATABASE_URL: target.url,
    SVC_DATA_DIR: join(directory, 'data'),
  })
  t.equal(restored.code, 0, restored.output)
  const after = await contents(target.sql)
  t.same(Object.keys(after), Object.keys(before))
  for (const [table, rows] of Object.entries(before)) t.same(after[table], rows, table)
  t.same(await schemaOf(target.sql), await schemaOf(api.sql))
  const [days, daysBefore] = [await daysOf(target.sql), await daysOf(api.sql)]
  t.ok(daysBefore.length > 7)
  t.same(
    daysBefore.filter((day) => !days.includes(day)),
    [],
    'every day is there',
  )
  t.equal(await migrate(target.url, () => undefined), 0, 'no migration is missing')
  const [own] = await api.sql`select database_identity() as id`
  const [other] = await target.sql`select database_identity() as id`
  t.not(own?.['id'], other?.['id'], 'to the engine it is another database')
  t.ok(existsSync(join(directory, 'data/journal/journal.json')))
  t.notOk(existsSync(join(directory, 'data/master.key')), 'keys of the environment stay there')
})

test('a backup that was changed, cut or signed by others is refused, and nothing is made', async (t) => {
  const { url } = await openTestDatabase(t)
  const { copy, directory, environment } = await backedUp(t, url)
  const target = await openUnmigratedDatabase(t)
  const dataDir = join(directory, 'data')
  const attempt = async (from: string, more: { [name: string]: string } = {}) =>
    runNodeScript('scripts/restore.ts', ['--from', from], {
      ...environment,
      DATABASE_URL: target.url,
      SVC_DATA_DIR: dataDir,
      ...more,
    })
  const changes: [string, (path: string) => void, RegExp][] = [
    [
      'database/tenants.copy.gz',
      (path) => appendFileSync(path, 'x'),
      /tenants\.copy\.gz has \d+ bytes/,
    ],
    ['journal/journal.json', (path) => rmSync(path), /journal\.json is missing/],
    ['manifest.json', (path) => writeFileSync(path, '{}'), /signature/],
    ['manifest.hmac', (path) => rmSync(path), /not a whole backup/],
  ]
  for (const [file, change, said] of changes) {
    const changed = join(directory, 'changed')
    rmSync(changed, { recursive: true, force: true })
    cpSync(copy, changed, { recursive: true })
    change(join(changed, file))
    const { code, output } = await attempt(changed)
    t.equal(code, 1, file)
    t.match(output, said, file)
  }
  const whole = await runNodeScript('scripts/restore.ts', ['--from', copy, '--check'])
  t.equal(whole.code, 0, whole.output)
  t.match(whole.output, 'files hold')
  const flipped = join(directory, 'flipped')
  cpSync(copy, flipped, { recursive: true })
  const path = join(flipped, 'database/tenants.copy.gz')
  const bytes = readFileSync(path)
  bytes[bytes.length - 1] = (bytes.at(-1) ?? 0) ^ 1
  writeFileSync(path, bytes)
  t.match((await attempt(flipped)).output, /tenants\.copy\.gz was changed/)
  t.match(
    (await runNodeScript('scripts/restore.ts', ['--from', flipped, '--check'])).output,
    /was changed/,
    'the check finds it without keys and database',
  )
  t.match(
    (await attempt(copy, { SVC_MASTER_KEY: newMasterKeyText() })).output,
    /signed under master key/,
  )
  const [left] =
    await target.sql`select count(*)::int as count from pg_class where relnamespace = 'public'::regnamespace`
  t.equal(left?.['count'], 0, 'the database stays empty')
  t.notOk(existsSync(join(dataDir, 'journal')))
})

test('a restore never writes over what lives', async (t) => {
  const { url } = await openTestDatabase(t)
  const { copy, directory, environment } = await backedUp(t, url)
  const empty = await openUnmigratedDatabase(t)
  const restore = (more: { [name: string]: string }) =>
    runNodeScript('scripts/restore.ts', ['--from', copy], { ...environment, ...more })
  const intoLiving = await restore({ SVC_DATA_DIR: join(directory, 'data') })
  t.equal(intoLiving.code, 1)
  t.match(intoLiving.output, /The database is not empty/)
  const overJournal = await restore({ DATABASE_URL: empty.url })
  t.equal(overJournal.code, 1)
  t.match(overJournal.output, /holds a journal: a restore never writes over one/)
  const facts = join(directory, 'with-facts')
  mkdirSync(join(facts, 'facts'), { recursive: true })
  const overFacts = await restore({ DATABASE_URL: empty.url, SVC_DATA_DIR: facts })
  t.match(overFacts.output, /holds configuration of another database/)
  const third = join(directory, 'with-s3')
  mkdirSync(join(third, 'shards', 's3', 'journal', 'left'), { recursive: true })
  const besideShard = await restore({ DATABASE_URL: empty.url, SVC_DATA_DIR: third })
  t.match(besideShard.output, /shards\/s3\/journal holds a journal/)
  const [left] =
    await empty.sql`select count(*)::int as count from pg_class where relnamespace = 'public'::regnamespace`
  t.equal(left?.['count'], 0)
})

test('a backup refuses a place that exists, keys inside the copy, and keys of others', async (t) => {
  const { url, sql } = await openTestDatabase(t)
  const { directory, environment } = await installation(t, url)
  const backup = (words: string[], more: { [name: string]: string } = {}) =>
    runNodeScript('scripts/backup.ts', words, { ...environment, ...more })
  t.match((await backup([])).output, 'Give --to')
  t.match((await backup(['--to', directory])).output, 'exists already')
  const copy = join(directory, 'copy')
  t.match(
    (await backup(['--to', copy, '--keys-to', join(copy, 'keys')])).output,
    'inside the copy that they protect',
  )
  await sql`insert into derivation_root (id, sealed) values ('root', 's1:knobody:AAAA')`
  const foreign = await backup(['--to', copy])
  t.equal(foreign.code, 1)
  t.match(foreign.output, 'The master keys are not those of this database')
  t.notOk(existsSync(copy) || existsSync(copy + '.partial'), 'no half copy stays')
  await sql`delete from derivation_root`
  const made = await backup(['--to', copy, '--keys-to', join(directory, 'keys')])
  t.equal(made.code, 0, made.output)
  t.equal(readFileSync(join(directory, 'keys/master.key'), 'utf8').trim(), MASTER_KEY_TEXT)
  for (const file of ['manifest.json', 'manifest.hmac', 'database/cards.copy.gz'])
    t.notMatch(readFileSync(join(copy, file), 'latin1'), MASTER_KEY_TEXT.split(':')[1] ?? '?')
})

test('a backup of a newer version is refused by name', async (t) => {
  const { url, sql } = await openTestDatabase(t)
  await sql`insert into migration_history values (9999, '9999-later.sql', 'x', 1)`
  const { copy, directory, environment } = await backedUp(t, url)
  const empty = await openUnmigratedDatabase(t)
  const { code, output } = await runNodeScript('scripts/restore.ts', ['--from', copy], {
    ...environment,
    DATABASE_URL: empty.url,
    SVC_DATA_DIR: join(directory, 'data'),
  })
  t.equal(code, 1)
  t.match(output, /made by a newer version \(9999-later\.sql\)/)
})
