// `npm run migrate`: brings the database of DATABASE_URL to this version, and gives its roles their
// rows.
import { readFileSync } from 'node:fs'
import { connectProblem } from '../../api/database/connect-problem.ts'
import { migrate } from '../../api/database/migrate.ts'
import { MigrationRefused } from '../../api/database/migration-refused.ts'
import { openPool } from '../../api/database/pool.ts'
import { readScriptSettings } from '../config.ts'

const RIGHTS_FILE = new URL('../../deploy/postgres/history.sql', import.meta.url)

export interface MigrateOptions {
  /** Also gives each role of deploy/postgres its rows, which a migration may have added to. */
  rights: boolean
}

/** Returns the exit code. */
export async function main({ rights }: MigrateOptions): Promise<number> {
  const settings = readScriptSettings(['DATABASE_URL'])
  if (!settings.ok) return fail(settings.error.join('\n'))
  const url = settings.value.DATABASE_URL
  if (url === null) return fail('DATABASE_URL must be set: the database to migrate.')
  try {
    const applied = await migrate(url, (text) => process.stdout.write(text + '\n'))
    process.stdout.write(applied === 0 ? 'The database is up to date.\n' : 'Done.\n')
    if (rights) {
      await giveRights(url)
      process.stdout.write('Each role has its rows.\n')
    }
    return 0
  } catch (error) {
    return fail(error instanceof MigrationRefused ? error.message : connectProblem(error, url))
  }
}

/**
 * Runs deploy/postgres/history.sql as the owner of the tables; roles that the server does not have
 * are passed over. Rejects with an error of PostgreSQL.
 */
export async function giveRights(url: string): Promise<void> {
  const sql = openPool(url, { max: 1, applicationName: 'svc-migrate' })
  try {
    await sql.unsafe(readFileSync(RIGHTS_FILE, 'utf8'))
  } finally {
    await sql.end({ timeout: 1 })
  }
}

function fail(sentence: string): number {
  process.stderr.write(sentence + '\n')
  return 1
}
