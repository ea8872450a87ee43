// A front door before two shards with ten million cards: the time of its first full copy of config
// records and of a restart with them, its memory, and the time that it adds to a message.
import { readdirSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { createEngineClient } from '../../api/engine-link/client.ts'
import { systemClock } from '../../shared/clock.ts'
import { doorSocket } from '../../shared/shards.ts'
import { column, median, rounded } from '../figures.ts'
import { flawsOf, type Generator, startGenerator } from '../generator.ts'
import { percentilesOf } from '../latency.ts'
import { type CardWorld, openCardWorld } from '../line/config-records.ts'
import { type EngineTestbed, startEngine } from '../line/engine.ts'
import { DATABASE, writeConfig } from '../line/engine-alone.ts'
import { newDirectory } from '../machine.ts'
import type { BenchOptions, Findings } from '../measured.ts'
import { inTurns, type Round } from '../pairs.ts'
import { copyConfig } from '../steps/population.ts'
import { type Door, type Memory, startDoor } from './door-process.ts'

const SIZES = {
  full: { cards: 10_000_000, rounds: 5, seconds: 4 },
  quick: { cards: 100_000, rounds: 2, seconds: 2 },
}
/** Every hundredth card gets messages: they lie in pages of their own. */
const STEP = 100
const CONNECTIONS = 16
const RATE = 1000
const WARMED = 20_000
const WARM_SECONDS_MAX = 60
const SHARDS = ['s1', 's2']
const MB = 1024 * 1024

interface Copied {
  copySeconds: number
  restartMs: number
  diskBytes: number
}

interface Sample {
  p50: number
  p99: number
  engineUs: number
  doorUs: number
  flaws: readonly string[]
}

type Rounds = readonly Round<'direct' | 'door', Sample>[]

/** BENCH_CARDS names another number of cards. */
export async function measureDoor(options: BenchOptions): Promise<Findings> {
  const size = options.quick ? SIZES.quick : SIZES.full
  const cards = Number(process.env['BENCH_CARDS'] ?? size.cards)
  const directory = newDirectory()
  const generator = startGenerator()
  const stops: (() => unknown)[] = [
    () => rmSync(directory, { recursive: true, force: true }),
    () => generator.stop(),
  ]
  try {
    // The cards with messages are those of the first shard: the other one has no engine here.
    const world = openCardWorld(directory, SHARDS.slice(0, 1))
    const engine = await startOwner(directory, world, cards / STEP)
    stops.push(engine.close)
    options.log(`Copying ${cards.toLocaleString('en')} cards to a front door.`)
    const { door, copied } = await fillDoor(directory, world, cards)
    stops.push(() => door.end())
    await warm(generator, engine, [engine.port, door.port])
    options.log(RATE + ' a second to the engine and through the door in turns.')
    const ask = (port: number) => () =>
      sampleOf(generator, { engine, door, port, seconds: size.seconds })
    const sides = { direct: ask(engine.port), door: ask(door.port) }
    const rounds = await inTurns(sides, size.rounds)
    return findingsOf(cards, { ...copied, memory: door.memory() }, rounds)
  } finally {
    for (const stop of stops.reverse()) await stop()
  }
}

/** The engine of the first shard, with every hundredth card. */
async function startOwner(
  directory: string,
  world: CardWorld,
  cards: number,
): Promise<EngineTestbed> {
  const plan = { cards, step: STEP }
  await writeConfig(join(directory, 'facts'), world.records(plan))
  const engine = await startEngine({
    directory,
    seeded: world.seeded(plan),
    tenants: 1,
    environment: { SVC_SHARDS: String(SHARDS.length), SVC_SHARD: SHARDS[0] ?? '' },
  })
  await engine.client.attach({ database_id: DATABASE, journal: null })
  await engine.ready()
  return engine
}

async function fillDoor(
  directory: string,
  world: CardWorld,
  cards: number,
): Promise<{ door: Door; copied: Copied }> {
  const environment = { SVC_SHARDS: String(SHARDS.length) }
  const empty = await startDoor(directory, environment)
  const socketPath = doorSocket(join(directory, 'engine.sock'))
  const client = createEngineClient({ socketPath, clock: systemClock })
  const startedAt = performance.now()
  await client.attach({ database_id: DATABASE, journal: null })
  const configCache = {
    async apply(push: Parameters<typeof client.pushConfig>[0]) {
      await client.pushConfig(push)
      return { ok: true as const, value: null }
    },
  }
  await copyConfig(configCache, DATABASE, world.records({ cards, cardsOnly: true }))
  await empty.ready(1)
  const copySeconds = (performance.now() - startedAt) / 1000
  client.close()
  await empty.end()
  const restartedAt = performance.now()
  const door = await startDoor(directory, environment)
  await door.ready(1)
  const restartMs = performance.now() - restartedAt
  const diskBytes = bytesBelow(join(directory, 'door-facts'))
  return { door, copied: { copySeconds, restartMs, diskBytes } }
}

function bytesBelow(directory: string): number {
  return readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .reduce((sum, { parentPath, name }) => sum + statSync(join(parentPath, name)).blocks * 512, 0)
}

async function warm(
  generator: Generator,
  engine: EngineTestbed,
  ports: readonly number[],
): Promise<void> {
  for (const port of ports) {
    await generator.make(engine.messages(WARMED))
    const load = { port, connections: CONNECTIONS, rate: null }
    await generator.send({ ...load, seconds: WARM_SECONDS_MAX })
  }
}

async function sampleOf(
  generator: Generator,
  asked: { engine: EngineTestbed; door: Door; port: number; seconds: number },
): Promise<Sample> {
  const { engine, door, port, seconds } = asked
  await generator.make(engine.messages(Math.ceil(RATE * seconds * 1.1)))
  const before = [engine.engine.cpuUs(), door.cpuUs()]
  const sent = await generator.send({ port, connections: CONNECTIONS, rate: RATE, seconds })
  const [engineUs = 0, doorUs = 0] = [engine.engine.cpuUs(), door.cpuUs()].map(
    (us, at) => (us - (before[at] ?? 0)) / sent.all,
  )
  const { p50, p99 } = percentilesOf([sent.latency])
  return { p50, p99, engineUs, doorUs, flaws: flawsOf('the engine or its door', sent) }
}

function findingsOf(cards: number, copied: Copied & { memory: Memory }, rounds: Rounds): Findings {
  const added = (of: (sample: Sample) => number): number =>
    Math.round(1000 * median(rounds.map(({ direct, door }) => of(door) - of(direct))))
  const of = (side: 'direct' | 'door', figure: (sample: Sample) => number): number =>
    rounded(median(rounds.map((round) => figure(round[side]))))
  const mb = (bytes: number): number => Math.round(bytes / MB)
  const { copySeconds, restartMs, memory, diskBytes } = copied
  const doorUs = of('door', (sample) => sample.doorUs)
  const [addedP50Us, addedP99Us] = [added(({ p50 }) => p50), added(({ p99 }) => p99)]
  return {
    lines: [
      '',
      `A front door with ${cards.toLocaleString('en')} cards:`,
      ['first full copy, s', rounded(copySeconds)].map(column).join(''),
      ['ready after a restart, ms', Math.round(restartMs)].map(column).join(''),
      ['memory of its own, MB', mb(memory.own)].map(column).join(''),
      ['mapped of the file, MB', mb(memory.mapped)].map(column).join(''),
      ['file, MB', mb(diskBytes)].map(column).join(''),
      ['', 'direct', 'through the door'].map(column).join(''),
      ['p50 ms at ' + RATE + '/s', of('direct', (s) => s.p50), of('door', (s) => s.p50)]
        .map(column)
        .join(''),
      ['p99 ms', of('direct', (s) => s.p99), of('door', (s) => s.p99)].map(column).join(''),
      ['CPU µs of the door', '', doorUs].map(column).join(''),
      `It adds ${addedP50Us} µs at the median and ${addedP99Us} µs at p99.`,
    ],
    figures: {
      cards,
      copy_s: rounded(copySeconds),
      restart_ms: Math.round(restartMs),
      memory_mb: { own: mb(memory.own), mapped: mb(memory.mapped) },
      file_mb: mb(diskBytes),
      door_cpu_us: doorUs,
      added_p50_us: addedP50Us,
      added_p99_us: addedP99Us,
    },
    targets: [],
    flaws: [...new Set(rounds.flatMap(({ direct, door }) => [...direct.flaws, ...door.flaws]))],
  }
}
