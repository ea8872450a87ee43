// `npm run rekey`: re-encrypts every secret and PAN in the database under a new master key. Safe to
// stop and to repeat.
import { join } from 'node:path'
import { connectProblem } from '../../api/database/connect-problem.ts'
import { openPool, type Sql } from '../../api/database/pool.ts'
import { countOutdated, type RekeyedTable, rekeyDatabase } from '../../api/database/rekey.ts'
import type { MasterKeys } from '../../shared/keyring.ts'
import { loadMasterKeys } from '../../shared/master-key-file.ts'
import type { Result } from '../../shared/result.ts'
import { aloneInDataDir } from '../alone-in-data-dir.ts'
import { readScriptSettings } from '../config.ts'
import { runningPostgresUrl } from '../postgres/running.ts'
import { addMasterKey } from './add-master-key.ts'

/** Returns the exit code. */
export async function main(): Promise<number> {
  const settings = readScriptSettings([
    'DATABASE_URL',
    'SVC_MASTER_KEY',
    'SVC_DATA_DIR',
    'SVC_ENVIRONMENT',
  ])
  if (!settings.ok) return fail(settings.error.join('\n'))
  const { SVC_DATA_DIR: dataDir, SVC_MASTER_KEY: configured } = settings.value
  const url = settings.value.DATABASE_URL ?? runningPostgresUrl(join(dataDir, 'postgres'))
  if (url === null) {
    return fail('DATABASE_URL is not set and no npm start is running on ' + dataDir + '.')
  }
  const loaded = loadMasterKeys({
    dataDir,
    configured,
    environment: settings.value.SVC_ENVIRONMENT,
  })
  if (!loaded.ok) return fail(loaded.error)

  const sql = openPool(url, { max: 1, applicationName: 'svc-rekey' })
  try {
    if (configured !== null) return await rekey(sql, loaded)
    // Two at once could lose a key that the other already used.
    const code = await aloneInDataDir(dataDir, 'rekey', async () => {
      // Reads the keys again, because an earlier run may have added one.
      const keys = loadMasterKeys({ dataDir, configured: null, environment: 'sandbox' })
      if (!keys.ok) return fail(keys.error)
      const unfinished = await countOutdated(sql, keys.value)
      if (unfinished > 0) say('Finishing an earlier run: ' + unfinished + ' values are left.')
      return rekey(sql, unfinished > 0 ? keys : addMasterKey(dataDir))
    })
    return code ?? fail('Another npm run rekey is at work on ' + dataDir + '.')
  } catch (error) {
    return fail(connectProblem(error, url))
  } finally {
    await sql.end({ timeout: 5 })
  }
}

async function rekey(sql: Sql, keys: Result<MasterKeys, string>): Promise<number> {
  if (!keys.ok) return fail(keys.error)
  say('Re-encrypting under master key ' + keys.value[0].id + '.')
  const tables = await rekeyDatabase(sql, keys.value, (table) => say(lineOf(table)))
  const unopened = tables.filter((table) => table.unopened > 0)
  if (unopened.length === 0) return 0
  return fail(
    unopened.map((table) => table.table + ': ' + table.problems.join('; ') + '.').join('\n'),
  )
}

function lineOf(table: RekeyedTable): string {
  const left = table.unopened === 0 ? '' : ', ' + table.unopened + ' could not be opened'
  return '  ' + table.table.padEnd(16) + table.rekeyed + ' re-encrypted' + left
}

function say(text: string): void {
  process.stdout.write(text + '\n')
}

function fail(sentence: string): number {
  process.stderr.write(sentence + '\n')
  return 1
}
