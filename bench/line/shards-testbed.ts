// Two engines with a shard each, one api and one PostgreSQL, as an installation of two shards has
// them on one machine. The first tenant's cards are in the first shard, the second one's in the
// second.
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { migrate } from '../../api/database/migrate.ts'
import { openPool, type Sql } from '../../api/database/pool.ts'
import { launchPostgres } from '../../scripts/start/database.ts'
import { systemClock } from '../../shared/clock.ts'
import { loadMasterKeys } from '../../shared/master-key-file.ts'
import { newDirectory } from '../machine.ts'
import { startPart } from '../our-process.ts'
import { freePort } from '../server-process.ts'
import { type EngineTestbed, startEngine } from './engine.ts'
import { type Seeded, seedLine, type TenantPlan, tokenOf } from './seed.ts'

const SHARDS = ['s1', 's2'] as const
/** Such a tenant is never asked. */
const SILENT: TenantPlan = { url: null }

export interface ShardEngine {
  stand: EngineTestbed
  isoPort: number
}

export interface ShardsTestbed {
  /** In the order of the shards. */
  engines: readonly ShardEngine[]
  /** Stops the process that drains, or lets it go on. */
  pauseDrain(paused: boolean): void
  close(): Promise<void>
}

/** Everything up and both engines ready, or nothing left running. */
export async function openShardsTestbed(cards: number): Promise<ShardsTestbed> {
  const directory = newDirectory()
  const stops: (() => unknown)[] = [() => rmSync(directory, { recursive: true, force: true })]
  const close = async (): Promise<void> => {
    for (const stop of stops.splice(0).reverse()) await stop()
  }
  try {
    return { ...(await build(directory, cards, stops)), close }
  } catch (error) {
    await close()
    throw error
  }
}

async function build(
  directory: string,
  cards: number,
  stops: (() => unknown)[],
): Promise<Omit<ShardsTestbed, 'close'>> {
  const postgres = await launchPostgres({ directory: join(directory, 'postgres') })
  stops.push(() => postgres.stop())
  await migrate(postgres.url, () => undefined)
  const seeded = await seed(postgres.url, directory, cards)
  const engines: ShardEngine[] = []
  const shards = String(SHARDS.length)
  for (const shard of SHARDS) {
    const isoPort = await freePort()
    const environment = {
      ...{ SVC_SHARDS: shards, SVC_SHARD: shard },
      ...{ SVC_ENGINE_ISO_PORT: String(isoPort), SVC_ENGINE_ISO_NETWORK: seeded.network.key_id },
    }
    const plan = { directory, seeded, tenants: SHARDS.length, shard, environment }
    const stand = await startEngine(plan)
    stops.push(stand.close)
    engines.push({ stand, isoPort })
  }
  const apiPort = await freePort()
  const api = await startPart('api', apiPort, {
    ...{ SVC_DATA_DIR: directory, SVC_API_PORT: String(apiPort), SVC_SHARDS: shards },
    ...{ DATABASE_URL: postgres.url, SVC_LOG_LEVEL: 'warn' },
  })
  stops.push(() => api.stop())
  for (const { stand } of engines) await stand.ready()
  const pauseDrain = (paused: boolean): void =>
    void process.kill(api.pid, paused ? 'SIGSTOP' : 'SIGCONT')
  stops.push(() => pauseDrain(false))
  return { engines, pauseDrain }
}

async function seed(url: string, directory: string, cards: number): Promise<Seeded> {
  const loaded = loadMasterKeys({ dataDir: directory, configured: null, environment: 'sandbox' })
  if (!loaded.ok) throw new Error(loaded.error)
  const sql = openPool(url, { max: 2, applicationName: 'bench', statementTimeoutMs: 0 })
  const plan = { tenants: [SILENT, SILENT], cards, controlsEach: 1, now: systemClock.nowMs() }
  const seeded = await seedLine(sql, loaded.value, plan)
  await placeSecond(sql)
  await sql.end({ timeout: 1 })
  return seeded
}

/** Moves the tenant of the second card before any engine decides. */
async function placeSecond(sql: Sql): Promise<void> {
  const placed = await sql`
    insert into placements (tenant_id, environment, shard)
    select tenant_id, environment, 's2' from cards where token = ${tokenOf(1)}`
  if (placed.count !== 1) throw new Error('there is no second tenant')
}
