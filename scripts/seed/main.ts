// Fills the sandbox for operators who run the parts one by one: keys, tenant and owner go into the
// database of DATABASE_URL, everything else is made through the API.
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { connectProblem } from '../../api/database/connect-problem.ts'
import { openPool } from '../../api/database/pool.ts'
import { createEngineClient } from '../../api/engine-link/client.ts'
import { systemClock } from '../../shared/clock.ts'
import { refuse } from '../../shared/command-line.ts'
import { loadMasterKeys } from '../../shared/master-key-file.ts'
import type { Result } from '../../shared/result.ts'
import { ADDRESS_SETTINGS, localAddresses, readScriptSettings } from '../config.ts'
import { claimDataDir } from '../start/claim.ts'
import { bootstrap, furnishSandbox, type SeedWorld, seed } from '../start/sandbox.ts'
import { SANDBOX_SECRETS_FILE } from '../start/sandbox-secrets.ts'
import { StartProblem } from '../start/start-problem.ts'

const NAMES = [
  'DATABASE_URL',
  'SVC_DATA_DIR',
  'SVC_MASTER_KEY',
  'SVC_ENVIRONMENT',
  ...ADDRESS_SETTINGS,
  'SVC_ENGINE_SOCKET',
] as const

const OPTIONS = {
  api: { type: 'string' },
  bootstrap: { type: 'boolean' },
} as const

type Options = ReturnType<typeof parseArgs<{ options: typeof OPTIONS }>>['values']

interface Invocation {
  url: string
  apiUrl: string
  bootstrapOnly: boolean
  engineSocket: string
  world: Omit<SeedWorld, 'sql'>
}

/** The exit code. */
export async function main(): Promise<number> {
  const options: Options = parseArgs({ options: OPTIONS }).values
  const invocation = invocationOf(options)
  if (!invocation.ok) return refuse(invocation.error)
  const { url, world } = invocation.value
  const claim = await claimDataDir(world.dataDir)
  const sql = openPool(url, { max: 1, applicationName: 'svc-seed' })
  try {
    process.stdout.write((await fill(invocation.value, { ...world, sql })) + '\n')
    return 0
  } catch (error) {
    return refuse(error instanceof StartProblem ? error.message : connectProblem(error, url))
  } finally {
    await sql.end({ timeout: 1 })
    await claim.release()
  }
}

/** Fills the sandbox and returns a sentence about the result. */
async function fill(invocation: Invocation, world: SeedWorld): Promise<string> {
  const known = await bootstrap(world)
  const path = join(world.dataDir, SANDBOX_SECRETS_FILE)
  const place = 'Sandbox tenant ' + known.tenant_id
  if (invocation.bootstrapOnly) return place + ' may call; secrets: ' + path
  const { engineSocket: socketPath, apiUrl } = invocation
  const engine = existsSync(socketPath)
    ? createEngineClient({ socketPath, clock: systemClock })
    : null
  const say = (line: string): void => {
    process.stderr.write(line + '\n')
  }
  try {
    const reach = { apiUrl, engine, signal: new AbortController().signal, say }
    const whole = await furnishSandbox(world, reach, await seed(world, reach, known))
    if (whole.furnished !== true) throw new StartProblem(place + ' is not complete: run it again.')
    return place + ' is in place; secrets: ' + path
  } finally {
    engine?.close()
  }
}

function invocationOf({ api, bootstrap: only }: Options): Result<Invocation, string> {
  const settings = readScriptSettings(NAMES)
  if (!settings.ok) return { ok: false, error: settings.error.join('\n') }
  const { DATABASE_URL: url, SVC_DATA_DIR: dataDir } = settings.value
  if (url === null)
    return { ok: false, error: 'DATABASE_URL must be set: the database to write to.' }
  const apiUrl = api ?? localAddresses(settings.value).api
  if (!URL.canParse(apiUrl)) return { ok: false, error: '--api must be a URL.' }
  const configured = settings.value.SVC_MASTER_KEY
  const environment = settings.value.SVC_ENVIRONMENT
  const keys = loadMasterKeys({ dataDir, configured, environment })
  if (!keys.ok) return keys
  return {
    ok: true,
    value: {
      url,
      apiUrl,
      bootstrapOnly: only === true,
      engineSocket: settings.value.SVC_ENGINE_SOCKET ?? join(dataDir, 'engine.sock'),
      world: { dataDir, masterKeys: keys.value, clock: systemClock },
    },
  }
}
