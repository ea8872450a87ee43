// A shard of three engines over etcd beside one engine alone, in turns in one run; and the pause at
// the front door when the owner is killed, paused or hands over, and when etcd loses its leader.
// All processes share the processors and the disk of this machine, so the figures say nothing about
// the rate of three machines.
import { column, median, rounded } from '../figures.ts'
import { flawsOf, type Generator, startGenerator } from '../generator.ts'
import { percentilesOf } from '../latency.ts'
import type { EngineTestbed } from '../line/engine.ts'
import { openEngineAlone } from '../line/engine-alone.ts'
import type { BenchOptions, Findings } from '../measured.ts'
import { inTurns } from '../pairs.ts'
import type { Sent } from '../sender.ts'
import { type Gap, measureGap } from './gap.ts'
import { HARM_BOUNDS, HARMS, type Harm } from './harms.ts'
import { type ClusterTestbed, openCluster, WITHOUT_ETCD } from './testbed.ts'

const CARDS = 10_000
const CONNECTIONS = 64
/**
 * V8 runs code of the first seconds ten times slower than later: an engine of a minute ago says
 * little about one of days.
 */
const WARM = { rate: 1000, seconds: 15 }
const SIZES = {
  full: { rounds: 5, seconds: 10, rate: 2000, holds: 1_000_000, harms: 20 },
  quick: { rounds: 2, seconds: 5, rate: 500, holds: 20_000, harms: 1 },
}
const ADDED_P50_MS_MAX = 5
const ADDED_P99_MS_MAX = 50

interface Sample {
  p50: number
  p99: number
  /** Microseconds of processor time per authorization: the engine asked, followers, etcd. */
  engineUs: number
  followersUs: number
  etcdUs: number
  flaws: readonly string[]
}

/** BENCH_HARM names the only harms wanted, by commas. */
export async function measureTakeOver(options: BenchOptions): Promise<Findings> {
  const size = options.quick ? SIZES.quick : SIZES.full
  options.log('Starting three members with ' + size.holds.toLocaleString('en') + ' open holds.')
  const cluster = await openCluster({ cards: CARDS, holds: size.holds })
  if (cluster === null) return WITHOUT_ETCD
  const generator = startGenerator()
  const only = process.env['BENCH_HARM']?.split(',')
  try {
    const latency = await sideBySide(cluster, generator, {
      ...size,
      rounds: only === undefined ? size.rounds : 1,
      log: options.log,
    })
    const gaps = new Map<Harm, Gap[]>()
    const flaws: string[] = []
    for (const harm of HARMS.filter((name) => only === undefined || only.includes(name))) {
      const measured: Gap[] = []
      gaps.set(harm, measured)
      const flaw = await gapsOf(cluster, harm, size.harms, measured)
      if (flaw !== null) flaws.push(flaw)
      options.log(pauseLine(pausesOf(harm, measured)))
    }
    const findings = findingsOf(size.rate, latency, gaps)
    return { ...findings, flaws: [...findings.flaws, ...flaws] }
  } finally {
    await generator.stop()
    await cluster.close()
  }
}

/** Does the harm so many times; what broke, and null where nothing did. */
async function gapsOf(
  cluster: ClusterTestbed,
  harm: Harm,
  times: number,
  measured: Gap[],
): Promise<string | null> {
  try {
    for (let time = 0; time < times; time++) measured.push(await oneGap(cluster, harm))
    return null
  } catch (error) {
    return `${HARM_BOUNDS[harm].name}, after ${measured.length} times: ${String(error)}`
  }
}

async function oneGap(cluster: ClusterTestbed, harm: Harm): Promise<Gap> {
  const messages = cluster.first.messages(1)
  let again: (() => Promise<void>) | null = null
  const gap = await measureGap(cluster.door.port, messages, async () => {
    again = await cluster.inflict(harm)
  })
  await (again as (() => Promise<void>) | null)?.()
  return gap
}

interface Load {
  rounds: number
  seconds: number
  rate: number
  log(text: string): void
}

type Rounds = readonly { readonly alone: Sample; readonly replicated: Sample }[]

async function sideBySide(
  cluster: ClusterTestbed,
  generator: Generator,
  load: Load,
): Promise<Rounds> {
  load.log('Warming both at ' + WARM.rate + ' a second.')
  const alone = await openEngineAlone({ cards: CARDS })
  try {
    for (const stand of [alone, cluster.first]) await warm(generator, stand)
    load.log('Latency at ' + load.rate + ' a second, alone and with two followers.')
    const none = (): number => 0
    return await inTurns(
      {
        alone: () => sampleOf(generator, alone, load, { followers: none, etcd: none }),
        replicated: () =>
          sampleOf(generator, cluster.first, load, {
            followers: cluster.followersCpuUs,
            etcd: cluster.agreement.etcdCpuUs,
          }),
      },
      load.rounds,
    )
  } finally {
    await alone.close()
  }
}

async function warm(generator: Generator, { port, messages }: EngineTestbed): Promise<void> {
  const { rate, seconds } = WARM
  await generator.make(messages(rate * seconds * 1.1))
  await generator.send({ port, connections: CONNECTIONS, rate, seconds })
}

async function sampleOf(
  generator: Generator,
  stand: EngineTestbed,
  { rate, seconds }: Load,
  others: { followers(): number; etcd(): number },
): Promise<Sample> {
  await generator.make(stand.messages(Math.ceil(rate * (seconds + 2) * 1.1)))
  const before = [stand.engine.cpuUs(), others.followers(), others.etcd()]
  const sent: Sent = await generator.send({
    port: stand.port,
    connections: CONNECTIONS,
    rate,
    seconds,
    warmSeconds: 2,
  })
  const after = [stand.engine.cpuUs(), others.followers(), others.etcd()]
  const [engineUs = 0, followersUs = 0, etcdUs = 0] = after.map(
    (us, at) => (us - (before[at] ?? 0)) / sent.all,
  )
  const { p50, p99 } = percentilesOf([sent.latency])
  return { p50, p99, engineUs, followersUs, etcdUs, flaws: flawsOf('the engine', sent) }
}

function findingsOf(
  rate: number,
  rounds: Rounds,
  gaps: ReadonlyMap<Harm, readonly Gap[]>,
): Findings {
  const added = (of: (sample: Sample) => number): number =>
    median(rounds.map(({ alone, replicated }) => of(replicated) - of(alone)))
  const told = (of: (sample: Sample) => number): number[] =>
    [
      median(rounds.map(({ alone }) => of(alone))),
      median(rounds.map(({ replicated }) => of(replicated))),
    ].map(rounded)
  const rows: [string, number[]][] = [
    ['p50 ms at ' + rate + '/s', told(({ p50 }) => p50)],
    ['p99 ms', told(({ p99 }) => p99)],
    ['µs of the engine', told(({ engineUs }) => engineUs)],
    ['µs of two followers', told(({ followersUs }) => followersUs)],
    ['µs of three etcd', told(({ etcdUs }) => etcdUs)],
  ]
  const pauses = [...gaps].map(([harm, measured]) => pausesOf(harm, measured))
  return {
    lines: [
      ['', 'alone', 'replicated'].map(column).join(''),
      ...rows.map(([name, values]) => [name, ...values].map(column).join('')),
      'ms without an answer at the door:',
      ...pauses.map((pauses) => '  ' + pauseLine(pauses)),
    ],
    figures: { rows: Object.fromEntries(rows), pauses },
    targets: [
      {
        sentence: 'added p50 : 5 ms',
        ...boundBy(
          added(({ p50 }) => p50),
          ADDED_P50_MS_MAX,
        ),
      },
      {
        sentence: 'added p99 : 50 ms',
        ...boundBy(
          added(({ p99 }) => p99),
          ADDED_P99_MS_MAX,
        ),
      },
      ...pauses.map(({ name, sorted, gapMsMax }) => {
        const worst = sorted.at(-1) ?? Number.NaN
        return { sentence: `worst pause, ${name} : ${gapMsMax} ms`, ...boundBy(worst, gapMsMax) }
      }),
    ],
    flaws: rounds.flatMap(({ alone, replicated }) => [...alone.flaws, ...replicated.flaws]),
  }
}

/** The pauses of a harm, the shortest first, and the messages of all its times. */
function pausesOf(harm: Harm, gaps: readonly Gap[]) {
  return {
    ...HARM_BOUNDS[harm],
    sorted: gaps.map(({ gapMs }) => Math.round(gapMs)).toSorted((a, b) => a - b),
    late: gaps.reduce((sum, gap) => sum + gap.late, 0),
    sent: gaps.reduce((sum, gap) => sum + gap.sent, 0),
  }
}

function pauseLine({ name, sorted, late, sent }: ReturnType<typeof pausesOf>): string {
  return `${name}: ${sorted.join(' ')}; ${late} of ${sent} messages not answered within 1.5 s`
}

function boundBy(value: number, most: number): { ratio: number; atMost: number } {
  return { ratio: rounded(value / most), atMost: 1 }
}
