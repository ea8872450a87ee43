// Brings a database to this version: the numbered files of migrations/, in order, each once, each
// in one transaction.
import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { type Clock, systemClock } from '../../shared/clock.ts'
import { MigrationRefused } from './migration-refused.ts'
import { openPool, type Sql } from './pool.ts'
import { requireSupportedServer } from './server-version.ts'
import { type TxSql, tx } from './transaction.ts'

export interface Migration {
  number: number
  name: string
  text: string
  sha256: string
}

interface HistoryRow {
  number: number
  name: string
  sha256: string
}

const MIGRATIONS = new URL('./migrations/', import.meta.url)
/** First file of the histories before the first release, which have no upgrade. */
const UNRELEASED: ReadonlySet<string> = new Set(['0001-authorization-line.sql'])
/** An arbitrary number that no other lock in this database uses. */
const ADVISORY_LOCK = 7_265_002

/** The migrations of this version, ascending. */
export function readMigrations(directory: URL = MIGRATIONS): readonly Migration[] {
  return readdirSync(directory)
    .filter((file) => /^\d{4}-[a-z0-9-]+\.sql$/.test(file))
    .sort()
    .map((file) => {
      const text = readFileSync(new URL(file, directory), 'utf8')
      const sha256 = createHash('sha256').update(text).digest('hex')
      return { number: Number(file.slice(0, 4)), name: file, text, sha256 }
    })
}

/**
 * Applies what is missing and says each file's name; returns how many were applied. Several
 * processes may call it at once. Throws MigrationRefused when an applied file was edited since, the
 * database is from a newer version of svc or PostgreSQL is too old.
 */
export async function migrate(
  url: string,
  log: (text: string) => void,
  options: { migrations?: readonly Migration[]; clock?: Clock } = {},
): Promise<number> {
  const migrations = options.migrations ?? readMigrations()
  const clock = options.clock ?? systemClock
  const sql = openPool(url, {
    max: 1,
    applicationName: 'svc-migrate',
    statementTimeoutMs: 0,
    lockTimeoutMs: 0,
  })
  try {
    let applied = 0
    for (;;) {
      const next = await applyNext(sql, migrations, clock)
      if (next === null) return applied
      log('applied ' + next.name)
      applied++
    }
  } finally {
    await sql.end({ timeout: 5 })
  }
}

function applyNext(
  sql: Sql,
  migrations: readonly Migration[],
  clock: Clock,
): Promise<Migration | null> {
  return tx(sql, async (sql) => {
    await requireSupportedServer(sql)
    await sql`select pg_advisory_xact_lock(${ADVISORY_LOCK})`
    const next = nextOf(migrations, await readHistory(sql))
    if (next === null) return null
    await sql.unsafe(next.text)
    const row = { ...next, applied_at: clock.nowMs() }
    await sql`insert into migration_history ${sql(row, 'number', 'name', 'sha256', 'applied_at')}`
    return next
  })
}

async function readHistory(sql: TxSql): Promise<readonly HistoryRow[]> {
  await sql`
    create table if not exists migration_history (
      number      integer primary key,
      name        text not null,
      sha256      text not null,
      applied_at  bigint not null
    )`
  return sql<HistoryRow[]>`select number, name, sha256 from migration_history order by number`
}

function nextOf(
  migrations: readonly Migration[],
  history: readonly HistoryRow[],
): Migration | null {
  for (const [index, row] of history.entries()) {
    if (UNRELEASED.has(row.name)) {
      throw new MigrationRefused(
        'The database was made before the first release (' +
          row.name +
          ') and cannot be upgraded: give svc an empty database. npm start makes one when its data' +
          ' directory (.data) is removed.',
      )
    }
    const migration = migrations[index]
    if (migration === undefined) {
      throw new MigrationRefused(
        'The database was migrated by a newer version (' + row.name + '): run that version.',
      )
    }
    if (migration.number !== row.number || migration.sha256 !== row.sha256) {
      throw new MigrationRefused(
        'The database was migrated with another ' +
          row.name +
          ' than the one in ' +
          migration.name +
          ': an applied migration is never edited; add a new one.',
      )
    }
  }
  return migrations[history.length] ?? null
}
