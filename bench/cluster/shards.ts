// Processor time of an authorization with three shards beside one at the same total rate: nine
// engines beside three, each side with etcd and a front door of its own, in turns. A shard writes a
// transaction a batch, and three small batches cost more than one large one.
import { column, median, rounded } from '../figures.ts'
import { flawsOf, type Generator, startGenerator } from '../generator.ts'
import { percentilesOf } from '../latency.ts'
import type { BenchOptions, Findings } from '../measured.ts'
import { compare, inTurns, type Round, ratioOf } from '../pairs.ts'
import { type ClusterTestbed, openCluster, WITHOUT_ETCD } from './testbed.ts'

const CARDS = 3000
const SHARDS = 3
const CONNECTIONS = 32
const SIZES = {
  full: { rounds: 3, seconds: 8, rate: 300, warmed: 5000 },
  quick: { rounds: 2, seconds: 4, rate: 150, warmed: 1000 },
}
const WARM_SECONDS_MAX = 60
const SETTLE_SECONDS = 1

interface Sample {
  /** Microseconds of processor time per authorization. */
  enginesUs: number
  etcdUs: number
  doorUs: number
  sumUs: number
  p50: number
  p99: number
  flaws: readonly string[]
}

type Side = 'one' | 'three'
type Rounds = readonly Round<Side, Sample>[]

export async function measureShards(options: BenchOptions): Promise<Findings> {
  const { rounds, warmed, ...load } = options.quick ? SIZES.quick : SIZES.full
  const generator = startGenerator()
  const stops: (() => Promise<void>)[] = [() => generator.stop()]
  const open = async (shards: number): Promise<ClusterTestbed | null> => {
    options.log('Starting ' + 3 * shards + ' engines of ' + shards + ' shards.')
    const cluster = await openCluster({ cards: CARDS, shards })
    if (cluster !== null) stops.push(() => cluster.close())
    return cluster
  }
  try {
    const one = await open(1)
    const three = one === null ? null : await open(SHARDS)
    if (one === null || three === null) return WITHOUT_ETCD
    options.log('Warming them: each owner decides ' + warmed + '.')
    await warm(generator, one, warmed)
    await warm(generator, three, SHARDS * warmed)
    options.log('One shard and three at ' + load.rate + ' a second in turns.')
    const sides = {
      one: () => sampleOf(generator, one, load),
      three: () => sampleOf(generator, three, load),
    }
    return findingsOf(load.rate, await inTurns(sides, rounds))
  } finally {
    for (const stop of stops.reverse()) await stop()
  }
}

async function warm(
  generator: Generator,
  { first, door: { port } }: ClusterTestbed,
  count: number,
): Promise<void> {
  await generator.make(first.messages(count))
  await generator.send({ port, connections: CONNECTIONS, rate: null, seconds: WARM_SECONDS_MAX })
}

async function sampleOf(
  generator: Generator,
  { first, door, agreement, enginesCpuUs }: ClusterTestbed,
  { rate, seconds }: { rate: number; seconds: number },
): Promise<Sample> {
  await generator.make(first.messages(Math.ceil(rate * (seconds + SETTLE_SECONDS) * 1.1)))
  const spent = (): number[] => [enginesCpuUs(), agreement.etcdCpuUs(), door.cpuUs()]
  const before = spent()
  const sent = await generator.send({
    ...{ port: door.port, connections: CONNECTIONS, rate, seconds },
    warmSeconds: SETTLE_SECONDS,
  })
  const [enginesUs = 0, etcdUs = 0, doorUs = 0] = spent().map(
    (us, at) => (us - (before[at] ?? 0)) / sent.all,
  )
  const { p50, p99 } = percentilesOf([sent.latency])
  const sumUs = enginesUs + etcdUs + doorUs
  return { enginesUs, etcdUs, doorUs, sumUs, p50, p99, flaws: flawsOf('the door', sent) }
}

function findingsOf(rate: number, rounds: Rounds): Findings {
  const told = (of: (sample: Sample) => number): number[] =>
    [median(rounds.map(({ one }) => of(one))), median(rounds.map(({ three }) => of(three)))].map(
      rounded,
    )
  const rows: [string, number[]][] = [
    ['µs of the engines', told(({ enginesUs }) => enginesUs)],
    ['µs of etcd', told(({ etcdUs }) => etcdUs)],
    ['µs of the door', told(({ doorUs }) => doorUs)],
    ['µs in all', told(({ sumUs }) => sumUs)],
    ['p50 ms', told(({ p50 }) => p50)],
    ['p99 ms', told(({ p99 }) => p99)],
  ]
  return {
    lines: [
      '',
      ['at ' + rate + '/s in all', 'one shard', 'three shards'].map(column).join(''),
      ...rows.map(([name, values]) => [name, ...values].map(column).join('')),
    ],
    figures: { rate, rows: Object.fromEntries(rows) },
    targets: [],
    ratios: [
      ratioOf(
        compare(rounds, ['three', 'one'], ({ sumUs }) => sumUs),
        {
          sentence: `processor time of an authorization at ${rate}/s in all, three shards : one`,
          unit: 'µs',
        },
      ),
    ],
    flaws: [...new Set(rounds.flatMap(({ one, three }) => [...one.flaws, ...three.flaws]))],
  }
}
