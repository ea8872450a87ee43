// Brings the whole service up on one machine, in the order in which each part needs the one before
// it. Every started part is remembered at once, so a failure or a signal can stop them from any
// point.
import { openPool } from '../../api/database/pool.ts'
import type { Clock } from '../../shared/clock.ts'
import type { MasterKeys } from '../../shared/keyring.ts'
import { loadMasterKeys } from '../../shared/master-key-file.ts'
import { type AppleParts, appleParts } from './apple-wallet.ts'
import { type ChainParts, chainParts, SANDBOX_CHAIN_ID } from './chain.ts'
import { type Claim, claimDataDir } from './claim.ts'
import type { CleanupStack } from './cleanup-stack.ts'
import type { Environment, StartConfig } from './config.ts'
import { prepareDatabase, provideDatabase } from './database.ts'
import { type GoogleParts, googleParts } from './google-wallet.ts'
import { type IdentityParts, identityParts } from './identity-peer.ts'
import { isoAddress, isoEnvironment } from './iso-address.ts'
import { type MailParts, mailParts } from './mail-peer.ts'
import { partiesEnvironment, type StartedParty } from './outside-parties.ts'
import { loopbackPort, type PortUse, portProblems } from './ports.ts'
import { logPathOf, type ProcessName, superviseProcess } from './processes.ts'
import type { Progress } from './progress.ts'
import { untilReady } from './readiness.ts'
import type { DatabaseUrls } from './roles.ts'
import {
  bootstrap,
  keepSecrets,
  publish,
  type Reach,
  type SeedWorld,
  seed,
  subscribeSandbox,
} from './sandbox.ts'
import { type IsoAddress, removeSandboxFile } from './sandbox-file.ts'
import type { SandboxSecrets } from './sandbox-secrets.ts'
import type { ListedCard } from './seed/listed-cards.ts'
import { ensureShop } from './seed/shop.ts'
import { engineClientOf, lineProcesses } from './shards.ts'
import { makeSocketDirectory, removeSocketDirectory } from './socket-path.ts'
import { StartProblem } from './start-problem.ts'
import { type StripeParts, stripeParts } from './stripe-peer.ts'
import type { Supervised } from './supervise.ts'

const READY_MS_MAX = 60_000
const CONNECTIONS_MAX = 2

export interface StartWorld {
  config: StartConfig
  clock: Clock
  progress: Progress
  started: CleanupStack
  /** Aborted when the person asks to stop. */
  signal: AbortSignal
}

export interface Running {
  secrets: SandboxSecrets
  cards: readonly ListedCard[]
  /** The world for further seeding. */
  seedWorld: SeedWorld
  reach: Reach
  /** The page that shows the sandbox's mails; null where another server gets them. */
  inboxUrl: string | null
  /** Directory of the sandbox's own chain; null where there is none. */
  chainDirectory: string | null
}

/**
 * Resolves when sandbox.json is in place; refuses with a StartProblem. Does not stop the parts it
 * started.
 */
export async function bringUp(world: StartWorld): Promise<Running> {
  const { config, progress, started, signal } = world
  const step = async <Value>(title: string, work: () => Promise<Value>): Promise<Value> => {
    if (signal.aborted) throw new StartProblem('stopped')
    return progress.step(title, work)
  }

  const claim = await step('data directory and ports', () => claimAll(world))
  const masterKeys = masterKeysOf(config)
  const { iso, line } = await beginLine(world, claim)
  const databaseUrl = await step(
    config.databaseUrl === null ? 'embedded PostgreSQL' : 'PostgreSQL of DATABASE_URL',
    () => provideDatabase(world),
  )
  const databaseUrls = await step('migrations', () => prepareDatabase(world, databaseUrl))
  const sql = openPool(databaseUrl, { max: CONNECTIONS_MAX, applicationName: 'svc-start' })
  started.push(() => sql.end({ timeout: 1 }))
  const seedWorld: SeedWorld = { dataDir: config.dataDir, sql, masterKeys, clock: world.clock }
  const made = await step('keys and owner', () => bootstrap(seedWorld))
  const chain = await planChain(world, { made, seedWorld })
  const { apple, google, mail, known } = await addresses(world, {
    ...{ ...made, ...chain.ports },
    ...(iso !== null && { iso_port: iso.port }),
  })

  const [first, second] = processGroups(world, {
    databaseUrls,
    identity: identityParts(config, known),
    stripe: stripeParts(config, known),
    apple,
    google,
    mail,
    chain,
    api: { SVC_API_METRICS_PORT: String(known.api_metrics_port) },
    dispatcher: { SVC_DISPATCHER_PORT: String(known.dispatcher_port) },
  })
  const begin = (named: NamedProcess): Supervised => startOne(world, claim, named)
  const beside = first.map(begin)
  // Callers stop first, and the line calls the outside parties.
  for (const run of line) started.push(() => run.stop())
  for (const run of beside) await step(run.name, () => run.firstReady)
  for (const run of [...line, ...second.map(begin)]) await step(run.name, () => run.firstReady)
  await step('ready to answer', () => allReady(world))
  const reach = reachOf(world)
  // Pushed before the file exists, so the file is removed first: no client waits for a service that
  // is being stopped.
  started.push(async () => removeSandboxFile(config.dataDir))
  const seeded = await step('sandbox tenant', () => seed(seedWorld, reach, known))
  const secrets = await step('enterprise plan', () =>
    subscribeSandbox(seedWorld, reach, { config, secrets: seeded }),
  )
  if (chain.directory !== null) await openShop(seedWorld, secrets)
  const published = {
    ...{ config, iso, push: apple.push, google: google.address },
    ...{ inboxUrl: mail.inboxUrl, settlerUrl: chain.settlerUrl },
  }
  const cards = await step('sandbox.json', () => publish(seedWorld, published, secrets))
  const { inboxUrl } = mail
  return { secrets, cards, seedWorld, reach, inboxUrl, chainDirectory: chain.directory }
}

async function openShop(
  { sql, clock }: SeedWorld,
  { tenant_id: tenantId }: SandboxSecrets,
): Promise<void> {
  await ensureShop(sql, { tenantId, chainId: SANDBOX_CHAIN_ID, now: clock.nowMs() })
}

/** The line needs no database, and loads while that is made. */
async function beginLine(
  world: StartWorld,
  claim: Claim,
): Promise<{ iso: IsoAddress | null; line: readonly Supervised[] }> {
  const { config } = world
  const secrets = await keepSecrets({ dataDir: config.dataDir, clock: world.clock })
  const iso = await isoAddress(config, secrets.iso_port ?? null)
  const isoPart = isoEnvironment(config, iso, secrets)
  const processes = await lineProcesses(config, lineEnvironment(config), isoPart)
  return { iso, line: processes.map((named) => startOne(world, claim, named)) }
}

/** Where the other parts listen: at the ports of the former start, where these are free. */
async function addresses({ config, clock }: StartWorld, made: SandboxSecrets) {
  const apple = await appleParts(config, clock.nowMs(), made.push_port ?? null)
  const google = await googleParts(config, made.google_port ?? null)
  const mail = await mailParts(config, {
    smtp: made.smtp_port ?? null,
    inbox: made.inbox_port ?? null,
  })
  const known: SandboxSecrets = {
    ...made,
    api_metrics_port: config.metricsPort ?? (await loopbackPort(made.api_metrics_port ?? null)),
    dispatcher_port: config.dispatcherPort ?? (await loopbackPort(made.dispatcher_port ?? null)),
    ...(apple.pushPort !== null && { push_port: apple.pushPort }),
    ...(google.port !== null && { google_port: google.port }),
    ...mail.ports,
  }
  return { apple, google, mail, known }
}

async function planChain(
  { config, progress }: StartWorld,
  { made, seedWorld }: { made: SandboxSecrets; seedWorld: SeedWorld },
): Promise<ChainParts> {
  const chain = await chainParts(config, seedWorld, {
    chain: made.chain_port ?? null,
    holder: made.holder_port ?? null,
    settler: config.settlerPort ?? (await loopbackPort(made.settler_port ?? null)),
  })
  if (chain.note !== null) progress.say(chain.note)
  return chain
}

function reachOf({ config, clock, progress, started, signal }: StartWorld): Reach {
  const engine = engineClientOf(config, clock)
  started.push(async () => engine.close())
  return { apiUrl: config.api.url, engine, signal, say: progress.say }
}

async function claimAll({ config, started }: StartWorld): Promise<Claim> {
  const claim = await claimDataDir(config.dataDir)
  started.push(() => claim.release())
  removeSandboxFile(config.dataDir)
  makeSocketDirectory(config.dataDir, config.engineSocket)
  started.push(async () => removeSocketDirectory(config.dataDir, config.engineSocket))
  const problems = await portProblems([
    { setting: 'SVC_API_PORT', hostSetting: 'SVC_API_HOST', ...config.api },
    { setting: 'SVC_ENGINE_PORT', hostSetting: 'SVC_ENGINE_HOST', ...config.engine },
    ...(config.iso.port === null ? [] : [isoUse(config.engine.host, config.iso.port)]),
    ...metricsUse('SVC_DISPATCHER_PORT', config.dispatcherPort),
    ...metricsUse('SVC_API_METRICS_PORT', config.metricsPort),
  ])
  if (problems.length > 0) throw new StartProblem(problems.join('\n'))
  return claim
}

function isoUse(host: string, port: number): PortUse {
  return { setting: 'SVC_ENGINE_ISO_PORT', hostSetting: 'SVC_ENGINE_HOST', host, port }
}

function metricsUse(
  setting: 'SVC_DISPATCHER_PORT' | 'SVC_API_METRICS_PORT',
  port: number | null,
): PortUse[] {
  return port === null ? [] : [{ setting, hostSetting: setting, host: '127.0.0.1', port }]
}

type NamedProcess = readonly [ProcessName, Environment]

interface Parts {
  databaseUrls: DatabaseUrls
  identity: IdentityParts
  stripe: StripeParts
  apple: AppleParts
  google: GoogleParts
  mail: MailParts
  chain: ChainParts
  api: Environment
  dispatcher: Environment
}

/** An engine never talks to PostgreSQL, so it does not even learn where it is. */
function lineEnvironment({ engineSocket }: StartConfig): Environment {
  return { SVC_ENGINE_SOCKET: engineSocket, DATABASE_URL: undefined }
}

/**
 * Returns the processes beside the line in two groups. Those of a group begin at once, because each
 * waits for its own needs; the second group reads the description of the chain once, which the
 * outside parties write. They are stopped in the opposite order: callers go before the services
 * they call.
 */
function processGroups(
  { config }: StartWorld,
  parts: Parts,
): [first: NamedProcess[], second: NamedProcess[]] {
  const { databaseUrls: urls, identity, stripe, apple, google, mail, chain } = parts
  const tenant: StartedParty = { name: 'tenant', environment: {} }
  const parties = [
    tenant,
    ...[
      ...identity.parties,
      ...stripe.parties,
      ...apple.parties,
      ...google.parties,
      ...mail.parties,
    ],
    ...chain.parties,
  ]
  const environment = { SVC_ENGINE_SOCKET: config.engineSocket }
  const dispatcher: Environment = {
    ...{ ...environment, DATABASE_URL: urls.dispatcher },
    ...{ ...identity.dispatcher, ...stripe.dispatcher },
    ...apple.dispatcher,
    ...google.service,
    ...mail.dispatcher,
    ...parts.dispatcher,
  }
  const api: Environment = {
    ...{ ...environment, DATABASE_URL: urls.api },
    ...(urls.link !== null && { SVC_LINK_DATABASE_URL: urls.link }),
    ...{ ...identity.api, ...stripe.api },
    ...apple.api,
    ...google.service,
    ...chain.api,
    ...mail.api,
    ...parts.api,
  }
  const first: NamedProcess[] = [
    ['outside-parties', partiesEnvironment(parties)],
    ['dispatcher', dispatcher],
  ]
  const settlers = chain.processes.map(
    ([name, addition]): NamedProcess => [
      name,
      { ...environment, DATABASE_URL: urls.settler, ...addition },
    ],
  )
  const second: NamedProcess[] = [['api', api], ...settlers]
  return [first, second]
}

function startOne(world: StartWorld, claim: Claim, [name, addition]: NamedProcess): Supervised {
  const { progress, started } = world
  const supervised = superviseProcess({ ...world, claim, say: progress.say }, name, addition)
  started.push(() => supervised.stop())
  return supervised
}

function masterKeysOf(config: StartConfig): MasterKeys {
  const keys = loadMasterKeys({
    dataDir: config.dataDir,
    configured: config.masterKeys,
    environment: config.environment,
  })
  if (!keys.ok) throw new StartProblem(keys.error)
  return keys.value
}

async function allReady({ config, signal }: StartWorld): Promise<void> {
  const services = [
    { name: 'engine', url: config.engine.url },
    { name: 'api', url: config.api.url },
  ]
  await Promise.all(
    services.map(({ name, url }) =>
      untilReady(
        { name, url, waitMsMax: READY_MS_MAX, logPath: logPathOf(config.dataDir, name) },
        signal,
      ),
    ),
  )
}
