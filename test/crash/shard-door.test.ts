// A front door before two shards on one machine, without etcd: two engine processes, one
// PostgreSQL, messages of tenants of both.
import { join } from 'node:path'
import { type Test, test } from 'tap'
import { tx } from '../../api/database/transaction.ts'
import { startEngineLinks } from '../../api/engine-link/link.ts'
import { drainedPayments } from '../../api/payments/payments/index.ts'
import { ensureDerivationRoot } from '../../scripts/start/seed/derivation-root.ts'
import { systemClock } from '../../shared/clock.ts'
import { SEAL_CONTEXTS } from '../../shared/keyring.ts'
import { doorSocket, shardSocket } from '../../shared/shards.ts'
import { Network, newBody, sendOnce } from '../harness/cluster.ts'
import { startDoorWith } from '../harness/door.ts'
import { MIGRATED } from '../harness/drain.ts'
import { ENGINE_KEYS, NETWORK_SECRET, sealed } from '../harness/engine.ts'
import { type EngineChild, startEngineChild } from '../harness/engine-child.ts'
import { silentLog } from '../harness/engine-listener.ts'
import { openTestDatabase } from '../harness/postgres.ts'
import { freePorts, newDataDir } from '../harness/start.ts'
import { seedTenant, type TestTenant } from '../harness/tenant.ts'
import { until } from '../harness/until.ts'

const SHARDS = ['s1', 's2']
const LANES = 4

/** Sends messages about one card, each until it is answered. */
class Lanes {
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

async function world(t: Test) {
  const { sql, url } = await openTestDatabase(t)
  await tx(sql, (inner) => ensureDerivationRoot(inner, ENGINE_KEYS))
  await sql`
    insert into network_keys (id, network, environment, sealed_secret, created_at)
    values ('nk_1', 'simnet', 'sandbox', ${sealed(SEAL_CONTEXTS.networkSecret, NETWORK_SECRET)}, 0)`
  const directory = newDataDir(t)
  const ports = await freePorts(SHARDS.length)
  const start = (at: number): Promise<EngineChild> => {
    const shard = SHARDS[at] ?? ''
    const environment = { SVC_SHARDS: String(SHARDS.length), SVC_SHARD: shard }
    return startEngineChild(t, { directory, port: ports[at] ?? 0, shard, environment })
  }
  const engines = await Promise.all(SHARDS.map((_, at) => start(at)))
  const door = await startDoorWith(t, {
    SVC_DATA_DIR: directory,
    SVC_SHARDS: String(SHARDS.length),
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
  await until(async () => (await sql`select from journal_cursor`).length === SHARDS.length)
  // The first shard and the second, by turns: none has cards yet.
  const tenants = [await seedTenant(sql, 'sandbox'), await seedTenant(sql, 'sandbox')]
  /** Both engines have what was written, as for a card whose creation was answered. */
  const covered = async (): Promise<void> => {
    const [row] = await sql<{ xid: string }[]>`select pg_current_xact_id()::text as xid`
    const xid = BigInt(row?.xid ?? 0)
    await until(async () =>
      (await Promise.all(engines.map(({ client }) => client.covers(xid)))).every(Boolean),
    )
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
  const lanesOf = async (shard: string): Promise<Lanes> => {
    for (const tenant of tenants)
      if ((await placed(tenant)) === shard) {
        await sql`delete from controls where subject_id = ${tenant.cardId}`
        await covered()
        return new Lanes(new Network(t, () => [door.port]), await tokenOf(tenant))
      }
    throw new Error('no tenant in ' + shard)
  }
  const seqOf = async (at: number): Promise<number> =>
    (await engines[at]?.client.status())?.synced_seq ?? 0
  return { sql, door, engines, start, tenants, tokenOf, lanesOf, seqOf }
}

test('the door sends each message to the shard of its card', async (t) => {
  const { door, lanesOf, seqOf } = await world(t)
  const [one, two] = [await lanesOf('s1'), await lanesOf('s2')]
  await one.network.deliver(newBody({ card: { token: 'tok_nobody' } }))
  const [unknown] = one.network.sent
  t.match(unknown?.answers[0], 'card_not_found', 'an unknown card is declined, not refused')
  const before = [await seqOf(0), await seqOf(1)]
  for (const lanes of [one, two]) lanes.start()
  await until(() => one.network.answered > 20 && two.network.answered > 20)
  for (const lanes of [one, two]) await lanes.stop()
  t.equal((await seqOf(0)) - (before[0] ?? 0), one.network.sent.length - 1)
  t.equal((await seqOf(1)) - (before[1] ?? 0), two.network.sent.length)
  t.same([...(await one.network.contradictions()), ...(await two.network.contradictions())], [])
  const page = await door.metrics()
  t.match(page, /^svc_door_unlocated_total [1-9]/m)
  t.match(page, /^svc_door_epoch\{shard="s2"\} 1$/m)
  t.match(page, /^svc_ready 1$/m)
})

test('a shard whose engine is killed costs the other one nothing', async (t) => {
  const { door, engines, start, lanesOf } = await world(t)
  const [one, two] = [await lanesOf('s1'), await lanesOf('s2')]
  for (const lanes of [one, two]) lanes.start()
  await until(() => one.network.answered > 20 && two.network.answered > 20)
  engines[0]?.child.kill('SIGKILL')
  await engines[0]?.exited
  const answered = two.network.answered
  await until(() => two.network.answered > answered + 50)
  t.equal(two.network.refused.size, 0, 'the second shard refuses nothing')
  const page = await door.metrics()
  t.match(page, /^svc_door_reached\{shard="s1"\} 0$/m)
  t.match(page, /^svc_door_reached\{shard="s2"\} 1$/m)
  t.match(page, /^svc_ready 1$/m, 'the door stays ready for the other shard')
  await start(0)
  const back = one.network.answered
  await until(() => one.network.answered > back + 20)
  for (const lanes of [one, two]) await lanes.stop()
  t.same([...(await one.network.contradictions()), ...(await two.network.contradictions())], [])
})

test('an engine ends in order while a door is connected', async (t) => {
  const { engines, start, lanesOf } = await world(t)
  const one = await lanesOf('s1')
  one.start()
  await until(() => one.network.answered > 20)
  engines[0]?.child.kill('SIGTERM')
  t.equal(await engines[0]?.exited, 0)
  await start(0)
  const back = one.network.answered
  await until(() => one.network.answered > back + 20)
  await one.stop()
  t.same(await one.network.contradictions(), [])
})

test('a message of a group that moves waits for the next shard', async (t) => {
  const { sql, door, tenants, tokenOf, lanesOf, seqOf } = await world(t)
  await (await lanesOf('s1')).network.deliver(newBody({ card: { token: 'tok_nobody' } }))
  const [tenant] = tenants
  if (tenant === undefined) throw new Error('no tenant')
  const place = async (shard: string): Promise<void> => {
    await sql`
      update placements set shard = ${shard}
      where tenant_id = ${tenant.tenantId} and environment = 'sandbox'`
  }
  const { body } = newBody({ card: { token: await tokenOf(tenant) } })
  await place('-')
  await until(async () => (await sendOnce(door.port, body, 3000))?.status === 503)
  await place('s2')
  const before = await seqOf(1)
  await until(
    async () =>
      (await sendOnce(door.port, newBody({ card: { token: await tokenOf(tenant) } }).body, 3000))
        ?.status === 200,
  )
  t.ok((await seqOf(1)) > before, 'the second shard decided')
})
