// Measures the latency of an authorization below full load: open loop, counted from the intended
// moment, beside the ceiling at the same rate; and in windows at the rate of a busy network, each
// beside the ceiling too, which shows the machine's own part.
import { median, rounded } from '../figures.ts'
import { curveOf, percentilesOf } from '../latency.ts'
import type { BenchOptions, Findings } from '../measured.ts'
import { compare, inTurns, pairsOf, type Round, ratioOf } from '../pairs.ts'
import { askCeiling, askEngine, type LineParts, type Sample, type Shot } from './sample.ts'

const HALF = 0.5
const CONNECTIONS = 256
/** One of them is where it reaches most. */
const BEST_CONNECTIONS = [64, 256]
const P99_RATIO_MAX = 3
const BUSY_PER_SECOND = 5000
const BUSY_P99_9_MS_MAX = 10
const PACE = {
  full: { seconds: 2, warmSeconds: 0.5 },
  quick: { seconds: 0.8, warmSeconds: 0.2 },
}
/** Length of one window: fifty of its answers lie beyond p99.9. */
const BUSY_SECONDS = { full: 10, quick: 1 }

type Rounds = readonly Round<'engine' | 'ceiling', Sample>[]

/** At half of the most it reaches, and at 5,000 a second. */
export async function measureTail(parts: LineParts, options: BenchOptions): Promise<Findings> {
  const pace = options.quick ? PACE.quick : PACE.full
  const rates: number[] = []
  for (const connections of BEST_CONNECTIONS)
    rates.push((await askEngine(parts, { connections, rate: null, ...pace })).perSecond)
  const rate = Math.round(Math.max(...rates) * HALF)
  options.log('At ' + rate + ' a second, beside the ceiling.')
  const beside = (shot: Shot): Promise<Rounds> =>
    inTurns(
      { engine: () => askEngine(parts, shot), ceiling: () => askCeiling(parts, shot) },
      pairsOf(options),
    )
  const half = { connections: CONNECTIONS, rate, ...pace }
  const rounds = await beside(half)
  const seconds = options.quick ? BUSY_SECONDS.quick : BUSY_SECONDS.full
  options.log('At ' + BUSY_PER_SECOND + ' a second, in windows of ' + seconds + ' s.')
  const before = syncsOf(await parts.stand.metrics())
  const windows = await beside({ ...half, rate: BUSY_PER_SECOND, seconds })
  const syncs = between(before, syncsOf(await parts.stand.metrics()))
  return findingsOf({ rate, rounds, windows, syncs })
}

/** Syncs of the journal that took no longer than so many seconds. */
type Syncs = ReadonlyMap<number, number>

function syncsOf(page: string): Syncs {
  const found = page.matchAll(/^svc_journal_sync_seconds_bucket\{le="(.+)"\} (\d+)$/gm)
  return new Map(
    Array.from(found, ([, le, count]) => [
      le === '+Inf' ? Number.POSITIVE_INFINITY : Number(le),
      Number(count),
    ]),
  )
}

function between(before: Syncs, after: Syncs): Syncs {
  return new Map(Array.from(after, ([le, count]) => [le, count - (before.get(le) ?? 0)]))
}

/**
 * The device's part of the tail: a message that comes during a sync waits for it, and for the next.
 */
function slowestOf(syncs: Syncs): string {
  const all = syncs.get(Number.POSITIVE_INFINITY) ?? 0
  const over = (seconds: number): string => String(all - (syncs.get(seconds) ?? 0))
  const parts = [0.001, 0.005, 0.01, 0.025].map((le) => over(le) + ' over ' + le * 1000)
  return 'Of ' + all + ' syncs meanwhile ' + parts.join(', ') + ' ms.'
}

interface Runs {
  /** A second, of the rounds. */
  rate: number
  rounds: Rounds
  /** At the rate of a busy network. */
  windows: Rounds
  /** During the windows. */
  syncs: Syncs
}

function findingsOf({ rate, rounds, windows, syncs }: Runs): Findings {
  const p99 = compare(rounds, ['engine', 'ceiling'], ({ latency }) => percentilesOf([latency]).p99)
  const half = latenciesOf(rounds)
  const busy = latenciesOf(windows)
  const lateness = windows.map(({ engine }) => engine.lateness)
  const p99_9 = {
    engine: busy.engine.map((latency) => percentilesOf([latency]).p99_9),
    ceiling: busy.ceiling.map((latency) => percentilesOf([latency]).p99_9),
  }
  const chart = 'Latency at ' + rate + ' a second, half of the best'
  const busyChart = 'Latency at ' + BUSY_PER_SECOND + ' a second'
  return {
    lines: [
      line('engine at ' + rate + ' a second', half.engine),
      line('ceiling at ' + rate + ' a second', half.ceiling),
      line('engine at ' + BUSY_PER_SECOND + ' a second', busy.engine),
      line('ceiling at ' + BUSY_PER_SECOND + ' a second', busy.ceiling),
      'p99.9 of each window: engine ' + p99_9.engine.join(' ') + ' ms',
      '                      ceiling ' + p99_9.ceiling.join(' ') + ' ms',
      slowestOf(syncs),
      '',
    ],
    figures: {
      half_rate: rate,
      engine_half: percentilesOf(half.engine),
      ceiling_half: percentilesOf(half.ceiling),
      engine_5000: percentilesOf(busy.engine),
      ceiling_5000: percentilesOf(busy.ceiling),
      p99_9_5000: p99_9,
      lateness_5000: percentilesOf(lateness),
      syncs_5000: Object.fromEntries(syncs),
    },
    targets: [
      {
        sentence: 'p99.9 at 5,000 a second : 10 ms, the median of the windows',
        ratio: rounded(median(p99_9.engine) / BUSY_P99_9_MS_MAX),
        atMost: 1,
      },
    ],
    ratios: [
      ratioOf(p99, {
        sentence: 'p99 : that of the ceiling, both at half of the best load',
        unit: 'ms',
        bound: { atMost: P99_RATIO_MAX },
      }),
    ],
    curves: [
      curveOf(half.engine, { chart, name: 'engine' }),
      curveOf(half.ceiling, { chart, name: 'ceiling' }),
      curveOf(busy.engine, { chart: busyChart, name: 'engine' }),
      curveOf(busy.ceiling, { chart: busyChart, name: 'ceiling' }),
      curveOf(lateness, { chart: busyChart, name: 'late when sent' }),
    ],
    flaws: [
      ...new Set(
        [...rounds, ...windows].flatMap(({ engine, ceiling }) => [
          ...engine.flaws,
          ...ceiling.flaws,
        ]),
      ),
    ],
  }
}

function latenciesOf(rounds: Rounds): { engine: string[]; ceiling: string[] } {
  return {
    engine: rounds.map(({ engine }) => engine.latency),
    ceiling: rounds.map(({ ceiling }) => ceiling.latency),
  }
}

function line(name: string, encoded: readonly string[]): string {
  const { p50, p99, p99_9, p99_99, max } = percentilesOf(encoded)
  return (
    name.padEnd(30) +
    ['p50', p50, 'p99', p99, 'p99.9', p99_9, 'p99.99', p99_99, 'max', max].join(' ') +
    ' ms'
  )
}
