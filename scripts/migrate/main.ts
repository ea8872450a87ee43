// `npm run migrate`: brings the database of DATABASE_URL to this version.
import { connectProblem } from '../../api/database/connect-problem.ts'
import { migrate } from '../../api/database/migrate.ts'
import { MigrationRefused } from '../../api/database/migration-refused.ts'
import { readScriptSettings } from '../config.ts'

/** Returns the exit code. */
export async function main(): Promise<number> {
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
