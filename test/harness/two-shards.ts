// Two shards on one machine behind a front door, without etcd: two engine processes, one
// PostgreSQL, a tenant in each.
import { join } from 'node:path'
import { tx } from '../../api/database/transaction.ts'
import { startEngineLinks } from '../../api/engine-link/link.ts'
import { drainedPayments } from '../../api/payments/payments/index.ts'
import { ensureDerivationRoot } from '../../scripts/start/seed/derivation-root.ts'
import { systemClock } from '../../shared/clock.ts'
import { SEAL_CONTEXTS } from '../../shared/keyring.ts'
import { doorSocket, shardSocket } from '../../shared/shards.ts'
import { Network, newBody } from './cluster-network.ts'
import { startDoorWith } from './door.ts'
import { MIGRATED } from './drain.ts'
import { ENGINE_KEYS, NETWORK_SECRET, sealed } from './engine.ts'
import { type EngineChild, startEngineChild } from './engine-child.ts'
import { silentLog } from './engine-listener.ts'
import { freePorts } from './free-ports.ts'
import { openTestDatabase, type Teardown } from './postgres.ts'
import { newDataDir } from './start.ts'
import { seedTenant, type TestTenant } from './tenant.ts'
import { until } from './until.ts'

const SHARDS = ['s1', 's2']
const LANES = 4

/** Sends messages about one card, each until it is answered. */
export class Lanes {
  readonly network: Network
  readonly #token: string
  #running = true
  #lanes: Promise<void>[] = []

  constructor(network: Network, token: string) {
    this.network = network
    this.#token = token
  }

  start(): void {
    this.#lanes = Array.from({ length: LANES }, async () => {
      while (this.#running)
        await this.network.deliver(newBody({ card: { token: this.#token }, amount_cents: 1 }))
    })
  }

  async stop(): Promise<void> {
    this.#running = false
    await Promise.all(this.#lanes)
  }
}

/** The processes of both shards on a database and a data directory. */
export async function startTwoShards(
  t: Teardown,
  { url, directory }: { url: string; directory: string },
) {
  const ports = await freePorts(SHARDS.length)
  const [isoPort = 0] = await freePorts(1)
  const engines: EngineChild[] = []
  const start = async (at: number): Promise<void> => {
    const shard = SHARDS[at] ?? ''
    const environment = { SVC_SHARDS: String(SHARDS.length), SVC_SHARD: shard }
    const port = ports[at] ?? 0
    engines[at] = await startEngineChild(t, { directory, port, shard, environment })
  }
  await Promise.all(SHARDS.map((_, at) => start(at)))
  const door = await startDoorWith(t, {
    SVC_DATA_DIR: directory,
    SVC_SHARDS: String(SHARDS.length),
    SVC_DOOR_ISO_PORT: String(isoPort),
    SVC_ENGINE_ISO_NETWORK: 'nk_1',
  })
  const socket = join(directory, 'engine.sock')
  const links = startEngineLinks(
    {
      databaseUrl: url,
      clock: systemClock,
      watch: { agrees: true },
      log: silentLog,
      migrations: MIGRATED,
      payments: drainedPayments,
    },
    [
      ...SHARDS.map((shard) => ({ shard, socketPath: shardSocket(socket, shard) })),
      { socketPath: doorSocket(socket) },
    ],
  )
  t.teardown(() => links.stop())
  const seqOf = async (at: number): Promise<number> =>
    (await engines[at]?.client.status())?.synced_seq ?? 0
  const drained = (): Promise<void> =>
    until(async () => {
      const all = await Promise.all(engines.map(({ client }) => client.status()))
      return all.every((status) => status.drained_seq === status.synced_seq)
    })
  return { isoPort, start, engines, door, links, seqOf, drained }
}

/** Starts them; the first card of each tenant is open and has no limits once its lanes are made. */
export async function twoShards(t: Teardown) {
  const { sql, url } = await openTestDatabase(t)
  const derivation = await tx(sql, (inner) => ensureDerivationRoot(inner, ENGINE_KEYS))
  await sql`
    insert into network_keys (id, network, environment, sealed_secret, created_at)
    values ('nk_1', 'simnet', 'sandbox', ${sealed(SEAL_CONTEXTS.networkSecret, NETWORK_SECRET)}, 0)`
  const directory = newDataDir(t)
  const processes = await startTwoShards(t, { url, directory })
  const { engines, door } = processes
  await until(async () => (await sql`select from journal_cursor`).length === SHARDS.length)
  // The first shard and the second, by turns: none has cards yet.
  const tenants = [await seedTenant(sql, 'sandbox'), await seedTenant(sql, 'sandbox')]
  /** Both engines have what was written, as for a card whose creation was answered. */
  const covered = async (): Promise<void> => {
    const [row] = await sql<{ xid: string }[]>`select pg_current_xact_id()::text as xid`
    const xid = BigInt(row?.xid ?? 0)
    // An engine that has just begun is not attached yet, and refuses the question.
    const has = ({ client }: EngineChild): Promise<boolean> => client.covers(xid).catch(() => false)
    await until(async () => (await Promise.all(engines.map(has))).every(Boolean))
  }
  const placed = async (tenant: TestTenant): Promise<string> => {
    const [row] = await sql<{ shard: string }[]>`
      select shard from placements where tenant_id = ${tenant.tenantId} and environment = 'sandbox'`
    return row?.shard ?? ''
  }
  const tokenOf = async (tenant: TestTenant): Promise<string> => {
    const [row] = await sql<{ token: string }[]>`
      select token from cards where id = ${tenant.cardId}`
    return row?.token ?? ''
  }
  const tenantOf = async (shard: string): Promise<TestTenant> => {
    for (const tenant of tenants) if ((await placed(tenant)) === shard) return tenant
    throw new Error('no tenant in ' + shard)
  }
  const lanesOf = async (t: Teardown, shard: string): Promise<Lanes> => {
    const tenant = await tenantOf(shard)
    await sql`delete from controls where subject_id = ${tenant.cardId}`
    await covered()
    return new Lanes(new Network(t, () => [door.port]), await tokenOf(tenant))
  }
  /** Gives the card of the shard's tenant this number. */
  const numberCard = async (shard: string, pan: string): Promise<void> => {
    const { cardId } = await tenantOf(shard)
    await sql`
      update cards set fingerprint = ${derivation.fingerprint(pan)} where id = ${cardId}`
    await covered()
  }
  return {
    ...processes,
    ...{ sql, url, directory },
    ...{ tenants, tokenOf, tenantOf, lanesOf, numberCard },
  }
}
