// Wipes the sandbox by the API, as its admin and its owner, and fills it as a start does.
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline/promises'
import { parseArgs } from 'node:util'
import { connectProblem } from '../../api/database/connect-problem.ts'
import { openPool } from '../../api/database/pool.ts'
import { createEngineClient } from '../../api/engine-link/client.ts'
import { createClient } from '../../client/index.ts'
import { systemClock } from '../../shared/clock.ts'
import { refuse } from '../../shared/command-line.ts'
import { loadMasterKeys } from '../../shared/master-key-file.ts'
import type { Result } from '../../shared/result.ts'
import { aloneInDataDir } from '../alone-in-data-dir.ts'
import { readScriptSettings } from '../config.ts'
import { runningPostgresUrl } from '../postgres/running.ts'
import { locateReader, READ_OPTIONS } from '../simulate/locate.ts'
import { readFurnished, SANDBOX_FILE, type Sandbox } from '../simulate/sandbox.ts'
import { SANDBOX_CHAIN_ID } from '../start/chain.ts'
import { claimDataDir } from '../start/claim.ts'
import { nextSteps, writeExampleMessages } from '../start/next-steps.ts'
import { planNextSteps } from '../start/plan-next-steps.ts'
import {
  bootstrap,
  furnishSandbox,
  type PlanConfig,
  type Reach,
  republish,
  type SeedWorld,
  seed,
  subscribeSandbox,
} from '../start/sandbox.ts'
import { readSandboxSecrets, type SandboxSecrets } from '../start/sandbox-secrets.ts'
import type { ListedCard } from '../start/seed/listed-cards.ts'
import { ensureShop } from '../start/seed/shop.ts'
import { engineSocketPath } from '../start/socket-path.ts'
import { StartProblem } from '../start/start-problem.ts'
import { clockLead } from './clock-lead.ts'
import { wipeSandbox } from './wipe.ts'

const NAMES = [
  'DATABASE_URL',
  'SVC_MASTER_KEY',
  'SVC_ENVIRONMENT',
  'SVC_ENGINE_SOCKET',
  'SVC_STRIPE_KEY_SANDBOX',
] as const

interface Invocation {
  apiUrl: string
  databaseUrl: string
  engineSocket: string
  secrets: SandboxSecrets
  world: Omit<SeedWorld, 'sql'>
  /** The npm start that holds the data directory; null with parts that were started alone. */
  started: StartedSandbox | null
}

interface StartedSandbox {
  /** The addresses that it has published. */
  sandbox: Sandbox
  plan: Omit<PlanConfig, 'authUrl'>
}

/** The exit code. */
export async function main(): Promise<number> {
  const { key: _own, ...options } = READ_OPTIONS
  const { values } = parseArgs({ options: { ...options, yes: { type: 'boolean' } } })
  const invocation = await invocationOf(values)
  if (!invocation.ok) return refuse(invocation.error)
  const { secrets, world, started } = invocation.value
  if (values.yes !== true && !(await confirmed(secrets.tenant_id)))
    return refuse('Nothing was changed: give --yes, or type the name of the tenant when asked.')
  const done = await aloneInDataDir(world.dataDir, 'reset', async () => {
    if (started !== null) return reset(invocation.value)
    const claim = await claimDataDir(world.dataDir)
    return reset(invocation.value).finally(() => claim.release())
  })
  return done ?? refuse('Another npm run reset is at work on ' + world.dataDir + '.')
}

/** True where the person at the terminal types the name of the tenant. */
async function confirmed(tenantId: string): Promise<boolean> {
  if (!process.stdin.isTTY) return false
  const terminal = createInterface({ input: process.stdin, output: process.stderr })
  try {
    const words = 'Everything in the sandbox of ' + tenantId + ' is deleted. Type its name: '
    return (await terminal.question(words)).trim() === tenantId
  } finally {
    terminal.close()
  }
}

async function reset(invocation: Invocation): Promise<number> {
  const { apiUrl, databaseUrl, engineSocket, secrets, started } = invocation
  const sql = openPool(databaseUrl, { max: 1, applicationName: 'svc-reset' })
  const engine = createEngineClient({ socketPath: engineSocket, clock: systemClock })
  const say = (line: string): void => void process.stderr.write(line + '\n')
  const world: SeedWorld = { ...invocation.world, sql }
  const reach = { apiUrl, engine, signal: new AbortController().signal, say }
  try {
    const wiped = await wipeSandbox({ apiUrl, clock: systemClock, say }, secrets)
    if (!wiped.ok) return refuse(wiped.error)
    const steps =
      started === null
        ? await fill(world, reach, await bootstrap(world))
        : await fillStarted(world, reach, { secrets, started })
    const tenant = createClient({ baseUrl: apiUrl, key: secrets.keys.admin })
    const { offset_ms: offsetMs } = await tenant.getSandboxClock()
    const done = 'Sandbox tenant ' + secrets.tenant_id + ' is in its first state'
    process.stdout.write(done + clockLead(offsetMs) + '.\n' + steps)
    return 0
  } catch (error) {
    return refuse(
      error instanceof StartProblem ? error.message : connectProblem(error, databaseUrl),
    )
  } finally {
    engine.close()
    await sql.end({ timeout: 1 })
  }
}

/** Makes everything that a seed makes; nothing is left to print. */
async function fill(world: SeedWorld, reach: Reach, known: SandboxSecrets): Promise<''> {
  await furnishWhole(world, reach, await seed(world, reach, known))
  return ''
}

/**
 * Makes everything that a start makes, and publishes it. Returns the lines to try, whose messages
 * name the new cards.
 */
async function fillStarted(
  world: SeedWorld,
  reach: Reach,
  { secrets, started }: { secrets: SandboxSecrets; started: StartedSandbox },
): Promise<string> {
  const { sandbox, plan } = started
  const { dataDir, clock } = world
  const pagesUrl = sandbox.auth_url ?? sandbox.api_url
  const seeded = await seed(world, reach, secrets)
  const config = { ...plan, authUrl: pagesUrl }
  const subscribed = await subscribeSandbox(world, reach, { config, secrets: seeded })
  const shop = { tenantId: secrets.tenant_id, chainId: SANDBOX_CHAIN_ID, now: clock.nowMs() }
  if (typeof sandbox.settler_url === 'string') await ensureShop(world.sql, shop)
  const cards: readonly ListedCard[] = await republish(world, subscribed)
  await furnishWhole(world, reach, subscribed)
  const place = {
    ...{ dataDir, pagesUrl, apiUrl: sandbox.api_url, engineUrl: sandbox.engine_url },
    ...{ inboxUrl: sandbox.inbox_url ?? null, ownerEmail: subscribed.owner?.email ?? '' },
  }
  const steps = await planNextSteps(place, cards)
  if (steps === null) return ''
  writeExampleMessages(steps, clock.nowMs())
  return nextSteps(steps, null)
}

async function furnishWhole(world: SeedWorld, reach: Reach, seeded: SandboxSecrets): Promise<void> {
  const whole = await furnishSandbox(world, reach, seeded)
  if (whole.furnished !== true)
    throw new StartProblem('The sandbox is empty, but not filled: run npm run reset again.')
}

async function invocationOf(values: {
  readonly api?: string | undefined
  readonly 'data-dir'?: string | undefined
}): Promise<Result<Invocation, string>> {
  const access = locateReader(values)
  if (!access.ok) return access
  const { dataDir, apiUrl } = access.value
  const settings = readScriptSettings(NAMES)
  if (!settings.ok) return { ok: false, error: settings.error.join('\n') }
  const { DATABASE_URL: url, SVC_MASTER_KEY: configured, SVC_ENVIRONMENT } = settings.value
  const databaseUrl = url ?? runningPostgresUrl(join(dataDir, 'postgres'))
  if (databaseUrl === null)
    return { ok: false, error: 'DATABASE_URL is not set and no npm start runs on ' + dataDir + '.' }
  const masterKeys = loadMasterKeys({ dataDir, configured, environment: SVC_ENVIRONMENT })
  if (!masterKeys.ok) return masterKeys
  const plan = {
    environment: SVC_ENVIRONMENT,
    ownStripeAccount: settings.value.SVC_STRIPE_KEY_SANDBOX !== null,
  }
  const isStarted = existsSync(join(dataDir, SANDBOX_FILE))
  // A start that is still making cards would write them down after the reset.
  const furnished = isStarted ? await readFurnished(dataDir) : null
  if (furnished?.ok === false) return furnished
  const started = furnished === null ? null : { sandbox: furnished.value.sandbox, plan }
  const secrets = readSandboxSecrets(dataDir)
  if (secrets === null)
    return { ok: false, error: 'There is no sandbox in ' + dataDir + ': run npm start first.' }
  const engineSocket = settings.value.SVC_ENGINE_SOCKET ?? engineSocketPath(dataDir)
  const world = { dataDir, masterKeys: masterKeys.value, clock: systemClock }
  return { ok: true, value: { apiUrl, databaseUrl, engineSocket, secrets, world, started } }
}
