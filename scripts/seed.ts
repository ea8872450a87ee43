// Puts the sandbox tenant into the database of DATABASE_URL, for operators who run the parts one by one.

import { join } from 'node:path'
import { connectProblem } from '../api/database/connect-problem.ts'
import { openPool } from '../api/database/pool.ts'
import { systemClock } from '../shared/clock.ts'
import { usageExit } from '../shared/command-line.ts'
import { loadMasterKeys } from '../shared/master-key-file.ts'
import { readScriptSettings } from './config.ts'
import { seed } from './start/sandbox.ts'
import { SANDBOX_SECRETS_FILE } from './start/sandbox-secrets.ts'
import { StartProblem } from './start/start-problem.ts'

const HELP = `Seeds the sandbox tenant into the database of DATABASE_URL; npm start does it by itself.

  node scripts/seed.ts [--help]

Rows that exist are left as they are: run it as often as you like. Keys, secrets and card numbers are kept in
SVC_DATA_DIR/${SANDBOX_SECRETS_FILE} (mode 0600). The migrations must have run.

  DATABASE_URL    the database (required)
  SVC_DATA_DIR    where the secrets and the master key are kept
  SVC_MASTER_KEY  instead of the generated master.key
`

/** The exit code. */
async function main(): Promise<number> {
  const code = usageExit(() => HELP)
  if (code !== null) return code
  const names = ['DATABASE_URL', 'SVC_DATA_DIR', 'SVC_MASTER_KEY', 'SVC_ENVIRONMENT'] as const
  const settings = readScriptSettings(names)
  if (!settings.ok) return refuse(settings.error.join('\n'))
  const { DATABASE_URL: url, SVC_DATA_DIR: dataDir } = settings.value
  if (url === null) return refuse('DATABASE_URL must be set: the database to seed.')
  const configured = settings.value.SVC_MASTER_KEY
  const environment = settings.value.SVC_ENVIRONMENT
  const keys = loadMasterKeys({ dataDir, configured, environment })
  if (!keys.ok) return refuse(keys.error)
  const sql = openPool(url, { max: 1, applicationName: 'svc-seed' })
  try {
    const secrets = await seed({ dataDir, sql, masterKeys: keys.value, clock: systemClock })
    const path = join(dataDir, SANDBOX_SECRETS_FILE)
    process.stdout.write(
      'Sandbox tenant ' + secrets.tenant_id + ' is in place; secrets: ' + path + '\n',
    )
    return 0
  } catch (error) {
    return refuse(error instanceof StartProblem ? error.message : connectProblem(error, url))
  } finally {
    await sql.end({ timeout: 1 })
  }
}

function refuse(sentence: string): number {
  process.stderr.write(sentence + '\n')
  return 1
}

process.exitCode = await main()
