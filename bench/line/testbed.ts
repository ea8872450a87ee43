// The testbed for benches of the authorization line: engine, api and PostgreSQL as a user runs
// them, on a real disk, with cards by the ten thousand. The api drains the journal into PostgreSQL
// during the measurement, as it always does.
import { execFileSync } from 'node:child_process'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { migrate } from '../../api/database/migrate.ts'
import { openPool, type Sql } from '../../api/database/pool.ts'
import type { EngineClient } from '../../api/engine-link/client.ts'
import { launchPostgres } from '../../scripts/start/database.ts'
import { sleep, systemClock } from '../../shared/clock.ts'
import { loadMasterKeys } from '../../shared/master-key-file.ts'
import { newDirectory } from '../machine.ts'
import { startPart } from '../our-process.ts'
import { freePort, type Server } from '../server-process.ts'
import { type EngineTestbed, startEngine } from './engine.ts'
import { type Seeded, seedLine, type TenantPlan } from './seed.ts'

const POLL_MS = 20
/** Such a one is never asked. */
const SILENT: TenantPlan = { url: null }

export interface TestbedOptions {
  cards: number
  /**
   * Controls of each card, with one limit and two lists each; 1 by default. At most 16 in the
   * product.
   */
  controlsEach?: number
  /** Tenants that get the cards in turn; by default one that is not asked. */
  tenants?: readonly TenantPlan[]
  /** Environment of the engine, beside the variables it needs. */
  environment?: { readonly [name: string]: string }
  /** Environment of the api, beside the variables it needs. */
  apiEnvironment?: { readonly [name: string]: string }
}

export interface LineTestbed extends EngineTestbed {
  /** The api, which drains the journal. */
  api: Server
  /** The database, for peers and for looking. */
  sql: Sql
  databaseUrl: string
  /** Resolves when PostgreSQL has every entry that is synced. */
  drained(): Promise<void>
}

/** Everything up and the engine ready, or nothing left running. */
export async function openLineTestbed(options: TestbedOptions): Promise<LineTestbed> {
  const directory = newDirectory()
  const stops: (() => unknown)[] = [() => rmSync(directory, { recursive: true, force: true })]
  const close = async (): Promise<void> => {
    for (const stop of stops.splice(0).reverse()) await stop()
  }
  try {
    return await buildTestbed(options, directory, { stops, close })
  } catch (error) {
    await close()
    throw error
  }
}

interface Ending {
  stops: (() => unknown)[]
  close(): Promise<void>
}

async function buildTestbed(
  options: TestbedOptions,
  directory: string,
  { stops, close }: Ending,
): Promise<LineTestbed> {
  const postgres = await launchPostgres({ directory: join(directory, 'postgres') })
  stops.push(() => postgres.stop())
  await migrate(postgres.url, () => undefined)
  const sql = openPool(postgres.url, { max: 2, applicationName: 'bench', statementTimeoutMs: 0 })
  stops.push(() => sql.end({ timeout: 1 }))
  const tenants = options.tenants ?? [SILENT]
  const seeded = await seed(sql, directory, options, tenants)
  const { environment } = options
  const plan = { directory, seeded, tenants: tenants.length }
  const stand = await startEngine(environment === undefined ? plan : { ...plan, environment })
  const stopEngine = stand.close
  stops.push(stopEngine)
  const apiPort = Number(options.apiEnvironment?.['SVC_API_PORT'] ?? (await freePort()))
  const api = await startPart('api', apiPort, {
    SVC_DATA_DIR: directory,
    SVC_API_PORT: String(apiPort),
    SVC_WEBHOOK_ALLOW_CIDRS: '127.0.0.0/8',
    DATABASE_URL: postgres.url,
    SVC_LOG_LEVEL: 'warn',
    ...options.apiEnvironment,
  })
  stops.push(() => api.stop())
  await stand.ready()
  // The system would write the files of the setup half a minute later, at once, in the middle of a
  // measurement.
  execFileSync('sync')
  const drained = (): Promise<void> => untilDrained(stand.client)
  // Not spread: its engine is another one after a restart.
  return Object.assign(stand, { api, sql, databaseUrl: postgres.url, drained, close })
}

async function seed(
  sql: Sql,
  directory: string,
  { cards, controlsEach = 1 }: TestbedOptions,
  tenants: readonly TenantPlan[],
): Promise<Seeded> {
  const loaded = loadMasterKeys({ dataDir: directory, configured: null, environment: 'sandbox' })
  if (!loaded.ok) throw new Error(loaded.error)
  const now = systemClock.nowMs()
  return seedLine(sql, loaded.value, { tenants, cards, controlsEach, now })
}

/** Resolves when PostgreSQL has every entry that is synced. */
async function untilDrained(client: EngineClient): Promise<void> {
  for (;;) {
    const status = await client.status()
    if (status.drained_seq === status.synced_seq) return
    await sleep(POLL_MS)
  }
}
