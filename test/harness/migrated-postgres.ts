// The files of a migrated PostgreSQL cluster, made once for these migrations and copied for each
// server of a test: making and migrating a cluster takes longer than most tests that need one.
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { migrate, readMigrations } from '../../api/database/migrate.ts'
import { openPool } from '../../api/database/pool.ts'
import { startPostgres } from '../../scripts/postgres.ts'
import { startTestPostgres, type Teardown, type TestPostgres } from './postgres.ts'

const CACHE = join(import.meta.dirname, '../../node_modules/.cache/migrated-postgres')
const LOCK = new URL('../../package-lock.json', import.meta.url)

/** A server of this test alone, as startTestPostgres starts it, with the tables of this version. */
export async function startMigratedPostgres(t: Teardown): Promise<TestPostgres> {
  const server = await startTestPostgres(t, copyMigrated)
  const sql = openPool(server.url, { max: 1, applicationName: 'svc-test' })
  // The engine tells two databases apart by it.
  await sql`update installation set id = gen_random_uuid()`
  await sql.end({ timeout: 1 })
  return server
}

/** Puts the files where `npm start` keeps its own: it finds a migrated database without rows. */
export function putMigratedPostgres(dataDir: string): Promise<void> {
  return copyMigrated(join(dataDir, 'postgres'))
}

/** Copies the files of a stopped server into a directory that does not hold any yet. */
export async function copyMigrated(directory: string): Promise<void> {
  const kept = await migratedFiles()
  mkdirSync(directory, { recursive: true, mode: 0o700 })
  // Their owner is the account of PostgreSQL, which Node's own copy would change.
  const copied = spawnSync('cp', ['-a', kept + '/.', directory], { encoding: 'utf8' })
  if (copied.status !== 0)
    throw new Error('the files of PostgreSQL are not copied: ' + copied.stderr)
}

async function migratedFiles(): Promise<string> {
  const parts = [readFileSync(LOCK), ...readMigrations().map(({ sha256 }) => sha256)]
  const hash = parts.reduce((hash, part) => hash.update(part), createHash('sha256'))
  const kept = join(CACHE, process.getuid?.() + '-' + hash.digest('hex').slice(0, 16))
  if (existsSync(kept)) return kept
  mkdirSync(CACHE, { recursive: true })
  const draft = mkdtempSync(join(CACHE, 'draft-'))
  const server = await startPostgres({ directory: draft })
  await migrate(server.url, () => undefined)
  await server.stop()
  try {
    renameSync(draft, kept)
  } catch (error) {
    // Another process made them meanwhile.
    rmSync(draft, { recursive: true, force: true })
    if (!existsSync(kept)) throw error
  }
  return kept
}
