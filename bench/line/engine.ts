// An engine as the testbeds of the benches start it, with its interfaces: for a generator, its
// metrics page, and its restart.
import { hash } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createEngineClient, type EngineClient } from '../../api/engine-link/client.ts'
import { sleep, systemClock } from '../../shared/clock.ts'
import { FIRST_SHARD, shardSocket } from '../../shared/shards.ts'
import type { NetworkMessages } from '../generator/requests.ts'
import { startPart } from '../our-process.ts'
import { freePort, type Server } from '../server-process.ts'
import type { Seeded } from './seed.ts'

const READY_MS_MAX = 300_000
const POLL_MS = 20

export interface CardChoice {
  /** Places of the tenants in the options. */
  tenants?: readonly number[]
  by?: 'token' | 'pan'
  /** As frames of ISO 8583 links. */
  iso?: boolean
}

export interface EngineTestbed {
  /** The network port. */
  port: number
  /** Its processor time is `cpuUs()`; another one after a restart. */
  readonly engine: Server
  directory: string
  /** Its private socket: `status()` reports the synced and the drained sequence. */
  client: EngineClient
  /**
   * Returns an order for a generator: so many authorizations on cards of these tenants (all by
   * default), by token by default.
   */
  messages(count: number, of?: CardChoice): NetworkMessages
  /**
   * A number of the engine's metrics page, labels included in the name; 0 where it is not there.
   */
  metric(name: string): Promise<number>
  /** The whole page. */
  metrics(): Promise<string>
  /** Resolves when it decides. */
  ready(): Promise<void>
  /**
   * Ends it in order and starts it again on the same directory; resolves with the milliseconds
   * until it decides.
   */
  restart(): Promise<number>
  /** Starts it again after it was killed; it need not become ready. */
  again(): Promise<void>
  /** Ends it, and then its socket's client. */
  close(): Promise<void>
}

export interface EnginePlan {
  directory: string
  seeded: Seeded
  /** The number of tenants to which the cards went in turn. */
  tenants: number
  environment?: { readonly [name: string]: string }
  /** The shard where several have this directory; absent: the only one. */
  shard?: string
  /**
   * False: its threads run on every processor. Deciding threads that stand for several machines
   * would share one processor otherwise.
   */
  threadsApart?: boolean
}

/**
 * Starts an engine on a directory. It decides nothing before it has its config records and a
 * database has confirmed its journal.
 */
export async function startEngine(plan: EnginePlan): Promise<EngineTestbed> {
  const { directory, seeded, tenants, shard = FIRST_SHARD } = plan
  const port = await freePort()
  const environment = {
    SVC_DATA_DIR: directory,
    SVC_ENGINE_PORT: String(port),
    SVC_WEBHOOK_ALLOW_CIDRS: '127.0.0.0/8',
    SVC_LOG_LEVEL: 'warn',
    ...plan.environment,
  }
  const name = shard === FIRST_SHARD ? 'engine' : (`engine-${shard}` as const)
  const { threadsApart = true } = plan
  const start = (): Promise<Server> => startPart(name, port, environment, { threadsApart })
  let engine = await start()
  const socketPath = shardSocket(join(directory, 'engine.sock'), shard)
  const client = createEngineClient({ socketPath, clock: systemClock })
  return {
    port,
    get engine() {
      return engine
    },
    directory,
    client,
    messages: (count, of) => messagesOf(directory, seeded, tenants, { count, ...of }),
    metrics: () => metricsPage(port),
    async metric(name) {
      const line = (await metricsPage(port)).split('\n').find((text) => text.startsWith(name + ' '))
      return line === undefined ? 0 : Number(line.slice(name.length + 1))
    },
    ready: () => untilReady(port),
    async restart() {
      await engine.stop()
      const startedAt = performance.now()
      engine = await start()
      await untilReady(port)
      return performance.now() - startedAt
    },
    async again() {
      await engine.stop()
      engine = await start()
    },
    async close() {
      await engine.stop()
      client.close()
    },
  }
}

function messagesOf(
  directory: string,
  seeded: Seeded,
  tenants: number,
  { count, by = 'token', tenants: chosen, iso = false }: CardChoice & { count: number },
): NetworkMessages {
  const places = chosen ?? Array.from({ length: tenants }, (_, at) => at)
  // The places of a hundred tenants are longer than a name may be.
  const which = chosen === undefined ? 'all' : hash('sha1', chosen.join())
  const cardsFile = join(directory, 'cards-' + by + '-' + which + '.json')
  writeFileSync(cardsFile, JSON.stringify(places.flatMap((place) => seeded.cardsOf(place, by))))
  return { kind: 'network', count, cardsFile, credentials: seeded.network, iso }
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
