// The real processes of one installation, each of which can be killed: PostgreSQL, engine, api, and
// a tenant played here. They equal those of `npm start` without its supervisor: the test decides
// when a process starts again.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openPool, type Sql } from '../../api/database/pool.ts'
import { createEngineClient, type EngineClient } from '../../api/engine-link/client.ts'
import type { SandboxCard } from '../../scripts/start/sandbox-secrets.ts'
import { sleep, systemClock } from '../../shared/clock.ts'
import { loadMasterKeys } from '../../shared/master-key-file.ts'
import {
  type Behaviour,
  type FakeTenant,
  startTenant,
  type TenantRequest,
} from '../fakes/tenant.ts'
import { COMPILED } from '../harness/compiled.ts'
import { freePort } from '../harness/free-ports.ts'
import { startMigratedPostgres } from '../harness/migrated-postgres.ts'
import type { Teardown, TestPostgres } from '../harness/postgres.ts'
import { insertSandbox, type SandboxRows } from '../harness/sandbox-rows.ts'
import { SEGMENT_BYTES } from '../harness/segment-bytes.ts'
import { until } from '../harness/until.ts'
import { type Environment, openPart, type Part } from './part.ts'

const STANDS_STILL_MS = 60_000
const POLL_MS = 10

export interface Stack {
  directory: string
  secrets: SandboxRows
  engineUrl: string
  apiUrl: string
  sql: Sql
  engine: EngineClient
  tenant: FakeTenant
  engineProcess: Part
  apiProcess: Part
  /** Runs if `dispatcher` is set. */
  dispatcherProcess: Part
  /** The server that runs at present. */
  readonly postgres: TestPostgres
  /** A card of the sandbox, by its purpose. */
  card(purpose: string): SandboxCard
  /** SIGKILL, then a new process on the same directory; resolves when it listens again. */
  killEngine(): Promise<void>
  /**
   * Kills the postmaster with SIGKILL, runs `whileAway`, then starts a new one on the same files
   * and port.
   */
  killPostgres(whileAway: () => Promise<void>): Promise<void>
  /** Another server takes the place of the present one. */
  replacePostgres(server: TestPostgres): void
  ready(): Promise<boolean>
  /**
   * Resolves when PostgreSQL has every entry that is synced; rejects when the drain stands still
   * for a minute.
   */
  drained(): Promise<void>
  /** A number of the engine's metrics page; null if it is missing. */
  metric(name: string): Promise<number | null>
}

export interface StackOptions {
  behave?: (request: TenantRequest) => Behaviour | Promise<Behaviour>
  environment?: Environment
  /** Variables for the engine alone, at every start. */
  engineEnvironment?: (directory: string, secrets: SandboxRows) => Environment
  /** Runs the dispatcher too. */
  dispatcher?: boolean
  /** Puts files into the data directory before the first engine starts. */
  prepare?: (directory: string, secrets: SandboxRows) => Promise<void> | void
  /** The address under which the api finds PostgreSQL. */
  databaseFor?: (url: string) => Promise<string>
  /** The addresses of PostgreSQL with a role for each part; `databaseFor` is not asked then. */
  rolesFor?: (url: string) => Promise<{ api: string; link: string; dispatcher: string }>
}

export async function startStack(t: Teardown, options: StackOptions = {}): Promise<Stack> {
  const directory = mkdtempSync(join(tmpdir(), 'svc-stack-'))
  let postgres: TestPostgres = await startMigratedPostgres(t)
  const sql = openPool(postgres.url, { max: 4, applicationName: 'svc-faults' })
  const tenant = await startTenant(options.behave === undefined ? {} : { behave: options.behave })
  const secrets = await seedStack(sql, directory, tenant.port)
  const [enginePort, apiPort] = [await freePort(), await freePort()]
  const roles = await options.rolesFor?.(postgres.url)
  const environment = {
    ...COMPILED,
    PATH: process.env['PATH'],
    SVC_DATA_DIR: directory,
    SVC_ENGINE_PORT: String(enginePort),
    SVC_API_PORT: String(apiPort),
    SVC_WEBHOOK_ALLOW_CIDRS: '127.0.0.0/8',
    SVC_JOURNAL_SEGMENT_BYTES: String(SEGMENT_BYTES),
    DATABASE_URL: roles?.api ?? (await options.databaseFor?.(postgres.url)) ?? postgres.url,
    ...(roles && { SVC_LINK_DATABASE_URL: roles.link }),
    ...options.environment,
  }
  const engineProcess = openPart('engine/main.ts', directory, {
    ...environment,
    ...options.engineEnvironment?.(directory, secrets),
  })
  const apiProcess = openPart('api/main.ts', directory, environment)
  const dispatcher = openPart('api/dispatcher.ts', directory, {
    ...environment,
    ...(roles && { DATABASE_URL: roles.dispatcher }),
  })
  const engine = createEngineClient({
    socketPath: join(directory, 'engine.sock'),
    clock: systemClock,
  })
  const engineUrl = 'http://127.0.0.1:' + enginePort
  t.teardown(async () => {
    engine.close()
    for (const part of [dispatcher, apiProcess, engineProcess]) await part.stop()
    await tenant.close()
    await sql.end({ timeout: 1 })
    rmSync(directory, { recursive: true, force: true })
  })
  await options.prepare?.(directory, secrets)
  await engineProcess.start()
  await apiProcess.start()
  if (options.dispatcher === true) await dispatcher.start()
  const stack: Stack = {
    directory,
    secrets,
    engineUrl,
    apiUrl: 'http://127.0.0.1:' + apiPort,
    sql,
    engine,
    tenant,
    engineProcess,
    apiProcess,
    dispatcherProcess: dispatcher,
    get postgres() {
      return postgres
    },
    card(purpose) {
      const card = secrets.cards[purpose]
      if (card === undefined) throw new Error('the sandbox has no card ' + purpose)
      return card
    },
    async killEngine() {
      await engineProcess.kill()
      await engineProcess.start()
    },
    async killPostgres(whileAway) {
      process.kill(postgres.pid, 'SIGKILL')
      await whileAway()
      postgres = await postgres.restart()
    },
    replacePostgres(server) {
      postgres = server
    },
    ready: async () => {
      const answer = await fetch(engineUrl + '/health/ready').catch(() => null)
      return answer?.status === 200
    },
    drained: () => drainedInTheEnd(engine),
    async metric(name) {
      const text = await (await fetch(engineUrl + '/metrics')).text()
      const found = new RegExp('^' + name + ' (\\S+)$', 'm').exec(text)?.[1]
      return found === undefined ? null : Number(found)
    },
  }
  await until(() => stack.ready())
  return stack
}

/** The machine may be slow: only a drain without any progress is stuck. */
async function drainedInTheEnd(engine: EngineClient): Promise<void> {
  let [reached, sinceMs] = [-1, systemClock.nowMs()]
  for (;;) {
    const status = await engine.status().catch(() => null)
    if (status?.attached === true && status.drained_seq === status.synced_seq) return
    const drained = status?.drained_seq ?? -1
    if (drained > reached) [reached, sinceMs] = [drained, systemClock.nowMs()]
    if (systemClock.nowMs() - sinceMs > STANDS_STILL_MS)
      throw new Error('the drain stands still: ' + JSON.stringify(status))
    await sleep(POLL_MS)
  }
}

/** A sandbox with a tenant played at `tenantPort`, in a migrated database. */
export async function seedStack(
  sql: Sql,
  dataDir: string,
  tenantPort: number,
): Promise<SandboxRows> {
  const loaded = loadMasterKeys({ dataDir, configured: null, environment: 'sandbox' })
  if (!loaded.ok) throw new Error(loaded.error)
  return insertSandbox(sql, loaded.value, { now: systemClock.nowMs(), tenantPort })
}
