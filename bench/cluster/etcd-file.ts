// The database file of etcd under ten minutes of load: the owner trims and compacts every two
// seconds, so that the file stays small without a defragmentation.
import { sleep } from '../../shared/clock.ts'
import { column, rounded } from '../figures.ts'
import { flawsOf, startGenerator } from '../generator.ts'
import type { BenchOptions, Findings } from '../measured.ts'
import { type Agreement, statusOf } from './agreement.ts'
import { memoryOf } from './door-process.ts'
import { openCluster, WITHOUT_ETCD } from './testbed.ts'

const CARDS = 10_000
const CONNECTIONS = 64
const SIZES = { full: { rate: 500, seconds: 600 }, quick: { rate: 200, seconds: 20 } }
const LOOK_MS = 500
const MB = 1024 * 1024
const FILE_MB_MAX = 64
/** A node whose trimming stands still goes on growing by more than a tenth in the second half. */
const GROWTH_MAX = 1.1
/** Signatures of messages hold for five minutes, so that each minute is made by itself. */
const PART_SECONDS = 60

interface Look {
  atSeconds: number
  /** Bytes of the largest file and of the most memory of a node. */
  fileBytes: number
  memoryBytes: number
}

/** BENCH_SECONDS names another length. */
export async function measureEtcdFile(options: BenchOptions): Promise<Findings> {
  const size = options.quick ? SIZES.quick : SIZES.full
  const seconds = Number(process.env['BENCH_SECONDS'] ?? size.seconds)
  options.log('Starting three members.')
  const cluster = await openCluster({ cards: CARDS })
  if (cluster === null) return WITHOUT_ETCD
  const generator = startGenerator()
  try {
    options.log(`Sending ${size.rate} a second for ${seconds} s.`)
    const looks: Look[] = []
    const over = new AbortController()
    const looking = watch(cluster.agreement, looks, over.signal)
    const flaws = new Set<string>()
    for (let left = seconds; left > 0; left -= PART_SECONDS) {
      const part = Math.min(left, PART_SECONDS)
      await generator.make(cluster.first.messages(Math.ceil(size.rate * part * 1.1)))
      const load = { port: cluster.door.port, connections: CONNECTIONS, rate: size.rate }
      const sent = await generator.send({ ...load, seconds: part })
      for (const flaw of flawsOf('the door', sent)) flaws.add(flaw)
    }
    over.abort()
    await looking
    return findingsOf({ ...size, seconds }, looks, [...flaws])
  } finally {
    await generator.stop()
    await cluster.close()
  }
}

async function watch({ nodes }: Agreement, looks: Look[], signal: AbortSignal): Promise<void> {
  const startedAt = performance.now()
  while (!signal.aborted) {
    const atSeconds = (performance.now() - startedAt) / 1000
    const statuses = await Promise.all(nodes.map(statusOf))
    const fileBytes = Math.max(...statuses.map((status) => status?.fileBytes ?? 0))
    const memoryBytes = Math.max(...nodes.map(({ pid }) => memoryOf(pid).own))
    looks.push({ atSeconds, fileBytes, memoryBytes })
    await sleep(LOOK_MS, signal)
  }
}

function findingsOf(
  { rate, seconds }: { rate: number; seconds: number },
  looks: readonly Look[],
  flaws: readonly string[],
): Findings {
  const most = (some: readonly Look[], of: (look: Look) => number): number =>
    rounded(Math.max(0, ...some.map(of)) / MB)
  const fileOf = ({ fileBytes }: Look): number => fileBytes
  const half = looks.length / 2
  const [first, second] = [looks.slice(0, half), looks.slice(half)]
  const file = { first: most(first, fileOf), second: most(second, fileOf) }
  const memory = most(looks, ({ memoryBytes }) => memoryBytes)
  const whole = Math.max(file.first, file.second)
  return {
    lines: [
      '',
      ['MB at ' + rate + '/s, ' + seconds + ' s', 'first half', 'second half'].map(column).join(''),
      ['largest file of a node', file.first, file.second].map(column).join(''),
      ['most memory of a node', '', memory].map(column).join(''),
    ],
    figures: { rate, seconds, file_mb: file, memory_mb: memory },
    targets: [
      {
        sentence: `etcd’s file over ${seconds} s : ${FILE_MB_MAX} MB`,
        ratio: rounded(whole / FILE_MB_MAX),
        atMost: 1,
      },
      {
        sentence: 'etcd’s file in the second half of the time : in the first',
        ratio: rounded(file.second / file.first),
        atMost: GROWTH_MAX,
      },
    ],
    flaws,
    series: [
      {
        chart: 'Largest database file of an etcd node',
        x: 's',
        y: 'MB',
        logX: false,
        lines: [
          {
            name: rate + ' a second',
            points: looks.map((look) => [rounded(look.atSeconds), rounded(fileOf(look) / MB)]),
          },
        ],
      },
    ],
  }
}
