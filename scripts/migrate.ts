// `npm run migrate`: brings the database of DATABASE_URL to this version.

import { connectProblem } from '../api/database/connect-problem.ts'
import { migrate } from '../api/database/migrate.ts'
import { MigrationRefused } from '../api/database/migration-refused.ts'
import { usageExit } from '../shared/command-line.ts'
import { readScriptSettings } from './config.ts'

const HELP = `Usage: npm run migrate

Brings the PostgreSQL database of DATABASE_URL to this version: applies the files of
api/database/migrations that it does not have yet, each in one transaction. Safe to repeat and
safe to run from several machines at once. Refuses a database whose history was edited.

  DATABASE_URL   postgres://user:password@host:port/database   (required)

npm start runs the migrations by itself.
`

/** Returns the exit code. */
async function run(): Promise<number> {
  const code = usageExit(() => HELP)
  if (code !== null) return code
  const settings = readScriptSettings(['DATABASE_URL'])
  if (!settings.ok) return fail(settings.error.join('\n'))
  const url = settings.value.DATABASE_URL
  if (url === null) return fail('DATABASE_URL must be set: the database to migrate.')
  try {
    const applied = await migrate(url, (text) => process.stdout.write(text + '\n'))
    process.stdout.write(applied === 0 ? 'The database is up to date.\n' : 'Done.\n')
    return 0
  } catch (error) {
    return fail(error instanceof MigrationRefused ? error.message : connectProblem(error, url))
  }
}

function fail(sentence: string): number {
  process.stderr.write(sentence + '\n')
  return 1
}

process.exitCode = await run()
