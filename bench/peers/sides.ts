// The compared sides: the engine and the peers, each asked for fresh authorizations of the same
// cards over a given number of connections, all of them closed loops. Over HTTP the requests are
// the same bytes.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { flawsOf, type Generator, perSecond } from '../generator.ts'
import type { LineTestbed } from '../line/testbed.ts'
import type { Sent } from '../sender.ts'
import { type Server, treeCpuUs } from '../server-process.ts'
import { openNetwork } from './network.ts'
import { openPostgresAlone, type PeerPlace, type Setup } from './peer.ts'
import type { Driver } from './postgres-driver.ts'
import type { PeerPostgres } from './postgres-server.ts'
import type { Checked } from './scenarios.ts'

/** The setting of a side; a side without ways or pool ignores those fields. */
export interface Shape extends Setup {
  /** Connections to it, each with one request under way. */
  connections: number
}

export interface Pace {
  seconds: number
  warmSeconds: number
}

export interface Sample {
  perSecond: number
  /**
   * Microseconds of processor time for each decision, of all processes that work for it before the
   * answer.
   */
  cpuUs: number
  /**
   * Microseconds of the processes that keep its history afterwards; null without any, because the
   * decision stands in the database.
   */
  laterUs: number | null
  /** An encoded HDR histogram. */
  latency: string
  senderShare: number
  flaws: readonly string[]
}

export interface Side {
  name: string
  ask(shape: Shape, pace: Pace): Promise<Sample>
  /** Runs `check` against it as it is set; the engine is checked by tests of its own. */
  checked(shape: Shape, check: (peer: Checked) => Promise<string[]>): Promise<string[]>
  close(): Promise<void>
}

const GUESS_FACTOR = 1.5
/** A server that is this busy limits a run itself, however busy the sender is. */
const SERVER_SHARE_FULL = 0.9

/** Counts the messages to make: one and a half times as many as the side answered at its best. */
class Need {
  #reachedPerSecond: number

  constructor(guessPerSecond: number) {
    this.#reachedPerSecond = guessPerSecond
  }

  count({ connections }: Shape, { seconds, warmSeconds }: Pace): number {
    return Math.ceil(this.#reachedPerSecond * GUESS_FACTOR * (seconds + warmSeconds)) + connections
  }

  learn(perS: number): void {
    this.#reachedPerSecond = Math.max(this.#reachedPerSecond, perS)
  }
}

/** Sends and measures; `cpuUs` is all processor time of the side so far. */
async function sample(
  name: string,
  cpuUs: () => number,
  send: () => Promise<Sent>,
): Promise<Sample & { all: number }> {
  const before = cpuUs()
  const startedAt = performance.now()
  const sent = await send()
  const used = cpuUs() - before
  const full = used / 1000 / (performance.now() - startedAt) >= SERVER_SHARE_FULL
  return {
    perSecond: perSecond(sent),
    cpuUs: used / Math.max(1, sent.all),
    laterUs: null,
    latency: sent.latency,
    senderShare: sent.senderShare,
    flaws: flawsOf(name, full ? { ...sent, senderShare: 0 } : sent),
    all: sent.all,
  }
}

/**
 * The engine as its users run it. It drains into PostgreSQL while it is asked and until the last
 * entry has arrived; no other side is asked before.
 */
export function engineSide(stand: LineTestbed, generator: Generator): Side {
  const need = new Need(60_000)
  const postmaster = Number(
    readFileSync(join(stand.directory, 'postgres/data/postmaster.pid'), 'utf8').split('\n')[0],
  )
  const draining = (): number => stand.api.cpuUs() + treeCpuUs(postmaster)
  return {
    name: 'engine',
    async ask(shape, pace) {
      await generator.make(stand.messages(need.count(shape, pace)))
      const { connections } = shape
      const before = draining()
      const deciding = (): number => stand.engine.cpuUs()
      const asked = await sample('the engine', deciding, () =>
        generator.send({ port: stand.port, rate: null, connections, ...pace }),
      )
      need.learn(asked.perSecond)
      await stand.drained()
      return { ...asked, laterUs: (draining() - before) / Math.max(1, asked.all) }
    },
    checked: async () => [],
    close: async () => undefined,
  }
}

export interface HttpPeer {
  name: string
  place: PeerPlace
  start(setup: Setup): Promise<Server>
  /** The postmaster, or Redis. */
  databasePid: number
  spentCents(subjectId: string): Promise<number>
}

/** A peer with a server in front, which is started anew where its setup changes. */
export function httpSide(peer: HttpPeer, stand: LineTestbed, generator: Generator): Side {
  const need = new Need(15_000)
  let running: { server: Server; setup: string } | null = null
  const serverFor = async ({ way, processes, pool }: Shape): Promise<Server> => {
    const setup = [way, processes, pool].join()
    if (running?.setup === setup) return running.server
    await running?.server.stop()
    running = null
    const server = await peer.start({ way, processes, pool })
    running = { server, setup }
    return server
  }
  return {
    name: peer.name,
    async ask(shape, pace) {
      const server = await serverFor(shape)
      const { connections } = shape
      await generator.make(stand.messages(need.count(shape, pace)))
      const cpuUs = (): number => treeCpuUs(server.pid) + treeCpuUs(peer.databasePid)
      const asked = await sample(peer.name, cpuUs, () =>
        generator.send({ port: server.port, rate: null, connections, ...pace }),
      )
      need.learn(asked.perSecond)
      return asked
    },
    async checked(shape, check) {
      const network = openNetwork((await serverFor(shape)).port, peer.place.secret)
      const problems = await check({ ask: network.ask, spentCents: peer.spentCents })
      network.close()
      return problems
    },
    close: async () => running?.server.stop(),
  }
}

export interface PostgresPeer {
  name: string
  place: PeerPlace
  postgres: PeerPostgres
  driver: Driver
  /** As the messages name them. */
  cardsFile: string
  spentCents(subjectId: string): Promise<number>
}

/** PostgreSQL without a server in front: every connection of the shape calls the function. */
export function postgresSide(peer: PostgresPeer): Side {
  const need = new Need(20_000)
  const { name, place, postgres, driver, cardsFile, spentCents } = peer
  return {
    name,
    async ask(shape, pace) {
      const { connections } = shape
      await driver.make({ count: need.count(shape, pace), cardsFile, root: place.root })
      const { address } = postgres
      const cpuUs = (): number => treeCpuUs(postgres.pid)
      const asked = await sample(name, cpuUs, () => driver.send({ address, connections, ...pace }))
      need.learn(asked.perSecond)
      return asked
    },
    async checked({ connections }, check) {
      const alone = openPostgresAlone(place, postgres, connections)
      const problems = await check({ ask: alone.ask, spentCents })
      await alone.close()
      return problems
    },
    close: async () => undefined,
  }
}
