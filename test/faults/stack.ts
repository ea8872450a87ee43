// The real processes of one installation, each on its own so that each can be killed: PostgreSQL, engine, api, and a tenant
// played here. What `npm start` runs, without its supervisor: the test decides what starts again and when.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { migrate } from '../../api/database/migrate.ts'
import { openPool, type Sql } from '../../api/database/pool.ts'
import { tx } from '../../api/database/transaction.ts'
import { createEngineClient, type EngineClient } from '../../api/engine-link/client.ts'
import { runNodeProcess } from '../../scripts/start/node-process.ts'
import { loopbackPort } from '../../scripts/start/ports.ts'
import { newSandboxSecrets, type SandboxSecrets } from '../../scripts/start/sandbox-secrets.ts'
import { demoTenantUrl, seedSandbox } from '../../scripts/start/seed/seed-sandbox.ts'
import type { Run } from '../../scripts/start/supervise.ts'
import { systemClock } from '../../shared/clock.ts'
import { loadMasterKeys } from '../../shared/master-key-file.ts'
import { type Behaviour, type FakeTenant, startTenant } from '../fakes/tenant.ts'
import { startTestPostgres, type Teardown, type TestPostgres } from '../harness/postgres.ts'
import { until } from '../harness/until.ts'

const ROOT = join(import.meta.dirname, '../..')

export interface Stack {
  directory: string
  secrets: SandboxSecrets
  engineUrl: string
  apiUrl: string
  sql: Sql
  engine: EngineClient
  tenant: FakeTenant
  /** SIGKILL, then a new process on the same directory; resolves when it answers again. */
  killEngine(): Promise<void>
  /** SIGKILL to the postmaster, `awayMs` of nothing, then a new one on the same files and port. */
  killPostgres(whileAway: () => Promise<void>): Promise<void>
  ready(): Promise<boolean>
}

export interface StackOptions {
  behave?: () => Behaviour
  environment?: { readonly [name: string]: string }
  /** Runs the dispatcher too. */
  dispatcher?: boolean
  /** Puts files into the data directory before the first engine starts. */
  prepare?: (directory: string) => Promise<void>
}

export async function startStack(t: Teardown, options: StackOptions = {}): Promise<Stack> {
  const directory = mkdtempSync(join(tmpdir(), 'svc-stack-'))
  let postgres: TestPostgres = await startTestPostgres(t)
  await migrate(postgres.url, () => undefined)
  const sql = openPool(postgres.url, { max: 4, applicationName: 'svc-faults' })
  const tenant = await startTenant(options.behave === undefined ? {} : { behave: options.behave })
  const secrets = await seeded(sql, directory, tenant.port)
  const [enginePort, apiPort] = [await loopbackPort(null), await loopbackPort(null)]
  const environment = {
    PATH: process.env['PATH'],
    SVC_DATA_DIR: directory,
    SVC_ENGINE_PORT: String(enginePort),
    SVC_API_PORT: String(apiPort),
    SVC_WEBHOOK_ALLOW_CIDRS: '127.0.0.0/8',
    DATABASE_URL: postgres.url,
    ...options.environment,
  }
  const launch = async (script: string): Promise<Run> => {
    const logPath = join(directory, script.replaceAll('/', '-') + '.log')
    const run = await runNodeProcess({
      script: join(ROOT, script),
      arguments: [],
      environment,
      logPath,
    })
    const early = await Promise.race([run.ready, run.exited])
    if (early !== undefined) throw new Error(script + ' did not start: ' + early.lastWords)
    return run
  }
  await options.prepare?.(directory)
  let engineRun = await launch('engine/main.ts')
  const apiRun = await launch('api/main.ts')
  const dispatcherRun = options.dispatcher === true ? await launch('api/dispatcher.ts') : null
  const engine = createEngineClient({
    socketPath: join(directory, 'engine.sock'),
    clock: systemClock,
  })
  const engineUrl = 'http://127.0.0.1:' + enginePort
  t.teardown(async () => {
    engine.close()
    await dispatcherRun?.stop()
    await apiRun.stop()
    await engineRun.stop()
    await tenant.close()
    await sql.end({ timeout: 1 })
    rmSync(directory, { recursive: true, force: true })
  })
  const stack: Stack = {
    directory,
    secrets,
    engineUrl,
    apiUrl: 'http://127.0.0.1:' + apiPort,
    sql,
    engine,
    tenant,
    async killEngine() {
      process.kill(engineRun.pid, 'SIGKILL')
      await engineRun.exited
      engineRun = await launch('engine/main.ts')
    },
    async killPostgres(whileAway) {
      process.kill(postgres.pid, 'SIGKILL')
      await whileAway()
      postgres = await postgres.restart()
    },
    ready: async () => {
      const answer = await fetch(engineUrl + '/health/ready').catch(() => null)
      return answer?.status === 200
    },
  }
  await until(() => stack.ready())
  return stack
}

async function seeded(sql: Sql, dataDir: string, tenantPort: number): Promise<SandboxSecrets> {
  const loaded = loadMasterKeys({ dataDir, configured: null, environment: 'sandbox' })
  if (!loaded.ok) throw new Error(loaded.error)
  const now = systemClock.nowMs()
  const secrets = newSandboxSecrets(now, tenantPort)
  const complete = await tx(sql, (inner) =>
    seedSandbox({ sql: inner, masterKeys: loaded.value, secrets, now }),
  )
  await sql`update webhook_endpoints set url = ${demoTenantUrl(tenantPort)} where id = ${secrets.realtime_endpoint.id}`
  return complete
}
