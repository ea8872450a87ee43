// What the benches of the authorization line stand on: engine, api and PostgreSQL as a user runs them, on a real disk, with
// cards by the ten thousand. While the engine is measured the api drains its journal into PostgreSQL, as it always does.
import { hash } from 'node:crypto'
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { migrate } from '../../api/database/migrate.ts'
import { openPool, type Sql } from '../../api/database/pool.ts'
import { createEngineClient, type EngineClient } from '../../api/engine-link/client.ts'
import { startPostgres } from '../../scripts/postgres.ts'
import { sleep, systemClock } from '../../shared/clock.ts'
import { loadMasterKeys } from '../../shared/master-key-file.ts'
import type { NetworkMessages } from '../generator/requests.ts'
import { newDirectory } from '../machine.ts'
import { freePort, type Server, startServer } from '../server-process.ts'
import { type Seeded, seedLine, type TenantPlan } from './seed.ts'

const ROOT = fileURLToPath(new URL('../../', import.meta.url))
const READY_MS_MAX = 300_000
const POLL_MS = 20
/** Such a one is never asked. */
const SILENT: TenantPlan = { url: null }

export interface StandOptions {
  cards: number
  /** Controls of each card, with one limit and two lists each; 1 unless said. At most 16 in the product. */
  controlsEach?: number
  /** Cards go to them in turn; one that is not asked unless said. */
  tenants?: readonly TenantPlan[]
  /** False: api and PostgreSQL end as soon as the engine has its facts; it decides alone. */
  drains?: boolean
  /** For the engine, beside what it needs. */
  environment?: { readonly [name: string]: string }
}

export interface LineStand {
  /** Of its network port. */
  port: number
  /** The engine: its processor time is `cpuUs()`. */
  engine: Server
  /** Null where nothing drains. */
  api: Server | null
  directory: string
  /** Its private socket: `status()` says what is synced and what is drained. */
  client: EngineClient
  /** The database, for peers and for looking; null where nothing drains. */
  sql: Sql | null
  databaseUrl: string | null
  /** Orders for a generator: so many authorizations on cards of these tenants (all unless said), by token unless said. */
  messages(count: number, of?: CardChoice): NetworkMessages
  /** A number of the engine's metrics page, labels included in the name; 0 where it is not there. */
  metric(name: string): Promise<number>
  /** The whole page. */
  metrics(): Promise<string>
  /** Resolves when PostgreSQL has every entry that is synced. */
  drained(): Promise<void>
  /** Ends the engine in order and starts it again on the same directory; resolves with the milliseconds until it decides. */
  restart(): Promise<number>
  close(): Promise<void>
}

export interface CardChoice {
  /** Places of the tenants in the options. */
  tenants?: readonly number[]
  by?: 'token' | 'pan'
}

/** Everything up and the engine ready, or nothing left running. */
export async function openLineStand(options: StandOptions): Promise<LineStand> {
  const directory = newDirectory()
  const stops: (() => unknown)[] = [() => rmSync(directory, { recursive: true, force: true })]
  const close = async (): Promise<void> => {
    for (const stop of stops.splice(0).reverse()) await stop()
  }
  try {
    return await buildStand(options, directory, { stops, close })
  } catch (error) {
    await close()
    throw error
  }
}

interface Ending {
  stops: (() => unknown)[]
  close(): Promise<void>
}

async function buildStand(
  options: StandOptions,
  directory: string,
  { stops, close }: Ending,
): Promise<LineStand> {
  const postgres = await startPostgres({ directory: join(directory, 'postgres') })
  stops.push(() => postgres.stop())
  await migrate(postgres.url, () => undefined)
  const sql = openPool(postgres.url, { max: 2, applicationName: 'bench', statementTimeoutMs: 0 })
  stops.push(() => sql.end({ timeout: 1 }))
  const tenants = options.tenants ?? [SILENT]
  const seeded = await seed(sql, directory, options, tenants)
  const [port, apiPort] = [await freePort(), await freePort()]
  const environment = {
    SVC_DATA_DIR: directory,
    SVC_ENGINE_PORT: String(port),
    SVC_API_PORT: String(apiPort),
    SVC_WEBHOOK_ALLOW_CIDRS: '127.0.0.0/8',
    DATABASE_URL: postgres.url,
    SVC_LOG_LEVEL: 'warn',
  }
  const startEngine = (): Promise<Server> =>
    startPart('engine', port, { ...environment, ...options.environment })
  let engine = await startEngine()
  stops.push(() => engine.stop())
  const api = await startPart('api', apiPort, environment)
  stops.push(() => api.stop())
  const client = createEngineClient({
    socketPath: join(directory, 'engine.sock'),
    clock: systemClock,
  })
  stops.push(() => client.close())
  await untilReady(port)
  const drains = options.drains ?? true
  if (!drains) await api.stop()
  if (!drains) await postgres.stop()
  return {
    port,
    get engine() {
      return engine
    },
    api: drains ? api : null,
    directory,
    client,
    sql: drains ? sql : null,
    databaseUrl: drains ? postgres.url : null,
    messages: (count, of) => messagesOf(directory, seeded, tenants.length, { count, ...of }),
    metrics: () => metricsPage(port),
    async metric(name) {
      const line = (await metricsPage(port)).split('\n').find((text) => text.startsWith(name + ' '))
      return line === undefined ? 0 : Number(line.slice(name.length + 1))
    },
    drained: () => untilDrained(client),
    async restart() {
      await engine.stop()
      const startedAt = performance.now()
      engine = await startEngine()
      await untilReady(port)
      return performance.now() - startedAt
    },
    close,
  }
}

async function seed(
  sql: Sql,
  directory: string,
  { cards, controlsEach = 1 }: StandOptions,
  tenants: readonly TenantPlan[],
): Promise<Seeded> {
  const loaded = loadMasterKeys({ dataDir: directory, configured: null, environment: 'sandbox' })
  if (!loaded.ok) throw new Error(loaded.error)
  const now = systemClock.nowMs()
  return seedLine(sql, loaded.value, { tenants, cards, controlsEach, now })
}

/** As `npm run engine` and `npm run api` start them. */
function startPart(
  name: 'engine' | 'api',
  port: number,
  environment: { readonly [name: string]: string },
): Promise<Server> {
  return startServer({
    name,
    file: join(ROOT, name, 'main.ts'),
    logFile: join(environment['SVC_DATA_DIR'] ?? '', name + '.log'),
    port,
    environment,
    nodeOptions: [...flagsOf(name), ...profiled(name)],
  })
}

/** Options of Node in the package's script of that name, but for the one that finds Node. */
function flagsOf(script: string): string[] {
  const manifest: { scripts: { [name: string]: string } } = JSON.parse(
    readFileSync(join(ROOT, 'package.json'), 'utf8'),
  )
  const words = manifest.scripts[script]?.split(' ') ?? []
  return words.filter((word) => word.startsWith('--'))
}

/** BENCH_PROFILE names a directory for the engine's profile. */
function profiled(name: string): string[] {
  const directory = process.env['BENCH_PROFILE']
  return directory === undefined || name !== 'engine'
    ? []
    : ['--cpu-prof', '--cpu-prof-dir=' + directory]
}

function messagesOf(
  directory: string,
  seeded: Seeded,
  tenants: number,
  { count, by = 'token', tenants: chosen }: CardChoice & { count: number },
): NetworkMessages {
  const places = chosen ?? Array.from({ length: tenants }, (_, at) => at)
  // The places of a hundred tenants are longer than a name may be.
  const which = chosen === undefined ? 'all' : hash('sha1', chosen.join())
  const cardsFile = join(directory, 'cards-' + by + '-' + which + '.json')
  writeFileSync(cardsFile, JSON.stringify(places.flatMap((place) => seeded.cardsOf(place, by))))
  return { kind: 'network', count, cardsFile, credentials: seeded.network }
}

async function metricsPage(port: number): Promise<string> {
  return (await fetch('http://127.0.0.1:' + port + '/metrics')).text()
}

async function untilReady(port: number): Promise<void> {
  const startedMs = performance.now()
  for (;;) {
    const answer = await fetch('http://127.0.0.1:' + port + '/health/ready').catch(() => null)
    if (answer?.status === 200) return
    if (performance.now() - startedMs > READY_MS_MAX)
      throw new Error('the engine is not ready: ' + (await answer?.text()))
    await sleep(POLL_MS)
  }
}

/** Resolves when PostgreSQL has every entry that is synced. */
async function untilDrained(client: EngineClient): Promise<void> {
  for (;;) {
    const status = await client.status()
    if (status.drained_seq === status.synced_seq) return
    await sleep(POLL_MS)
  }
}
