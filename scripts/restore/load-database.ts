// Fills an empty database from a backup in one transaction: the migrations of the backup, then
// every table by COPY without triggers and foreign keys, which are checked afterwards. A restore
// that is interrupted leaves the database empty.
import { createReadStream } from 'node:fs'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { createGunzip } from 'node:zlib'
import type { Migration } from '../../api/database/migrate.ts'
import type { Sql } from '../../api/database/pool.ts'
import { requireSupportedServer } from '../../api/database/server-version.ts'
import { type TxSql, tx } from '../../api/database/transaction.ts'
import { sleep } from '../../shared/clock.ts'
import { quoted } from '../backup/dump-database.ts'
import type { BackupTable, Manifest } from '../backup/manifest.ts'

/** Milliseconds between two looks whether PostgreSQL refused rows that were sent. */
const LOOK_MS = 500

export interface LoadParts {
  /** Two connections: one fills, the other watches it. */
  sql: Sql
  directory: string
  database: Manifest['database']
  migrations: readonly Migration[]
  nowMs: number
}

/** Returns why the backup's schema is not one that this version can make; null if it is. */
export function migrationProblem(
  wanted: Manifest['database']['migrations'],
  known: readonly Migration[],
): string | null {
  for (const [index, row] of wanted.entries()) {
    const own = known[index]
    if (own === undefined)
      return (
        'The backup was made by a newer version (' + row.name + '): restore it with that version.'
      )
    if (own.sha256 !== row.sha256) return 'The backup was made with another ' + row.name + '.'
  }
  return null
}

/** Returns a sentence when the database holds tables, views or functions of anybody; else null. */
export async function occupiedBy(sql: Sql): Promise<string | null> {
  const [row] = await sql<{ name: string }[]>`
    select relname as name from pg_class
    where relnamespace = current_schema()::regnamespace and relkind in ('r', 'p', 'v', 'm', 'S')
    union all
    select proname from pg_proc where pronamespace = current_schema()::regnamespace
    limit 1`
  return row === undefined
    ? null
    : 'The database is not empty (' +
        row.name +
        '): a restore fills an empty one, made by createdb.'
}

/**
 * Throws when PostgreSQL refuses the rows, or has others than the backup lists; then nothing
 * changed.
 */
export async function loadDatabase(parts: LoadParts): Promise<void> {
  await tx(parts.sql, async (sql) => {
    await requireSupportedServer(sql)
    await applyMigrations(sql, parts)
    const { tables, days, sequences } = parts.database
    await sql`
      select make_day(kept, key, prefix, wanted.day::date)
      from unnest(${days.map(({ kept }) => kept)}::text[], ${days.map(({ day }) => day)}::text[]) as wanted (name, day)
      join day_tables() on kept = wanted.name`
    const foreign = await dropForeignKeys(sql)
    const guarded = await userTriggers(sql)
    for (const name of guarded) await sql.unsafe('alter table ' + name + ' disable trigger user')
    await sql.unsafe('truncate ' + tables.map(({ name }) => quoted(name)).join(', '))
    for (const table of tables) await copyIn(sql, table, parts)
    for (const name of guarded) await sql.unsafe('alter table ' + name + ' enable trigger user')
    for (const statement of foreign) await sql.unsafe(statement)
    for (const { name, value } of sequences)
      await sql`select setval(${quoted(name)}::regclass, ${value})`
  })
  await parts.sql.unsafe('analyze')
}

async function applyMigrations(sql: TxSql, parts: LoadParts): Promise<void> {
  await sql`
    create table migration_history (
      number      integer primary key,
      name        text not null,
      sha256      text not null,
      applied_at  bigint not null
    )`
  for (const next of parts.migrations.slice(0, parts.database.migrations.length)) {
    await sql.unsafe(next.text)
    const row = { ...next, applied_at: parts.nowMs }
    await sql`insert into migration_history ${sql(row, 'number', 'name', 'sha256', 'applied_at')}`
  }
}

/** Returns the statements that make them again. */
async function dropForeignKeys(sql: TxSql): Promise<string[]> {
  const keys = await sql<{ place: string; name: string; definition: string }[]>`
    select conrelid::regclass::text as place, conname as name, pg_get_constraintdef(oid) as definition
    from pg_constraint
    where contype = 'f' and conparentid = 0 and connamespace = current_schema()::regnamespace
    order by conrelid, conname`
  for (const { place, name } of keys)
    await sql.unsafe('alter table ' + place + ' drop constraint ' + quoted(name))
  return keys.map(
    ({ place, name, definition }) =>
      'alter table ' + place + ' add constraint ' + quoted(name) + ' ' + definition,
  )
}

async function userTriggers(sql: TxSql): Promise<string[]> {
  const rows = await sql<{ place: string }[]>`
    select distinct tgrelid::regclass::text as place
    from pg_trigger t join pg_class c on c.oid = t.tgrelid
    where not tgisinternal and tgparentid = 0 and c.relnamespace = current_schema()::regnamespace
    order by 1`
  return rows.map(({ place }) => place)
}

async function copyIn(sql: TxSql, table: BackupTable, parts: LoadParts): Promise<void> {
  const columns = table.columns.map(quoted).join(', ')
  const statement = 'copy ' + quoted(table.name) + ' (' + columns + ') from stdin'
  const [connection] = await sql<{ pid: number }[]>`select pg_backend_pid() as pid`
  const rows = await sql.unsafe(statement).writable()
  const sent = pipeline(createReadStream(join(parts.directory, table.file)), createGunzip(), rows)
  await refusedOr(sent, { sql: parts.sql, pid: connection?.pid ?? 0, table: table.name })
  const [counted] = await sql<{ count: number }[]>`
    select count(*)::bigint as count from ${sql(table.name)}`
  if (counted?.count !== table.rows)
    throw new Error(
      table.name +
        ' has ' +
        counted?.count +
        ' rows after the copy, the backup lists ' +
        table.rows +
        '.',
    )
}

/**
 * Waits for the rows. The driver never reports a refusal that comes after the last row, so the
 * state of the connection is looked at meanwhile.
 */
async function refusedOr(
  sent: Promise<void>,
  place: { sql: Sql; pid: number; table: string },
): Promise<void> {
  let over = false
  const done = sent.finally(() => {
    over = true
  })
  const watched = async (): Promise<void> => {
    while (!over) {
      await Promise.race([done, sleep(LOOK_MS)])
      if (over) return
      const [row] = await place.sql<{ state: string }[]>`
        select state from pg_stat_activity where pid = ${place.pid}`
      if (row?.state === 'idle in transaction (aborted)')
        throw new Error('PostgreSQL refused rows of ' + place.table + '; its log says why.')
    }
  }
  await Promise.race([done, watched().then(() => done)])
}
