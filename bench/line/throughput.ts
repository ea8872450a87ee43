// How many durable authorizations a second, by the number of connections, beside a server that
// decides nothing.
import { column, median, rounded } from '../figures.ts'
import { percentilesOf } from '../latency.ts'
import type { BenchOptions, Findings } from '../measured.ts'
import { type Comparison, compare, inTurns, pairsOf, type Round, ratioOf } from '../pairs.ts'
import { askCeiling, askEngine, type LineParts, type Sample } from './sample.ts'

const CONNECTIONS = [1, 8, 64, 256, 1024]
/**
 * The best is looked for up to here: beyond it a network would open another connection to another
 * engine.
 */
const BEST_CONNECTIONS_MAX = 256
/** Where it is claimed a first look takes pairs as well. */
const CLAIMED = new Set([64, 256])
const CEILING_RATIO_MIN = 0.5
const PACE = {
  full: { seconds: 1, warmSeconds: 0.2 },
  quick: { seconds: 0.5, warmSeconds: 0.15 },
}

type Rounds = readonly Round<'engine' | 'ceiling', Sample>[]

interface Rung {
  connections: number
  rounds: Rounds
  rate: Comparison
  cpu: Comparison
  /** Entries that one write to the device made durable. */
  perSync: number | null
}

/** Measures the ladder, and claims the ratio of its best rung. */
export async function measureThroughput(
  parts: LineParts,
  options: BenchOptions,
): Promise<Findings> {
  const rungs: Rung[] = []
  for (const connections of chosenConnections()) {
    const rung = await climb(parts, options, connections)
    rungs.push(rung)
    options.log(row(rung))
  }
  return findingsOf(rungs, bestOf(rungs))
}

/** BENCH_CONNECTIONS names some of them, where only those are wanted. */
function chosenConnections(): readonly number[] {
  const chosen = process.env['BENCH_CONNECTIONS']
  return chosen === undefined ? CONNECTIONS : chosen.split(',').map(Number)
}

async function climb(parts: LineParts, options: BenchOptions, connections: number): Promise<Rung> {
  const shot = { connections, rate: null, ...(options.quick ? PACE.quick : PACE.full) }
  const count = options.quick && !CLAIMED.has(connections) ? 1 : pairsOf(options)
  const all = await inTurns(
    { engine: () => askEngine(parts, shot), ceiling: () => askCeiling(parts, shot) },
    count,
  )
  const telling = all.filter((round) => !isSenderLimited(round))
  // If most rounds are valid, the others are left out; if not, all of them report why.
  const rounds = telling.length > count / 2 ? telling : all
  const sides = ['engine', 'ceiling'] as const
  const perSyncs = rounds.flatMap(({ engine }) => engine.perSync ?? [])
  return {
    connections,
    rounds,
    rate: compare(rounds, sides, ({ perSecond }) => perSecond),
    cpu: compare(rounds, sides, ({ cpuUs }) => cpuUs),
    perSync: perSyncs.length === 0 ? null : rounded(median(perSyncs)),
  }
}

/** True if the sender was the limit of a side, and nothing else was wrong. */
function isSenderLimited({ engine, ceiling }: Rounds[number]): boolean {
  const limited = [engine, ceiling].filter(({ senderLimited }) => senderLimited).length
  return limited > 0 && engine.flaws.length + ceiling.flaws.length === limited
}

function bestOf(rungs: readonly Rung[]): Rung {
  const [first, ...others] = rungs.filter((rung) => rung.connections <= BEST_CONNECTIONS_MAX)
  if (first === undefined) throw new Error('no number of connections up to 256 was measured')
  return others.reduce((best, rung) => (rung.rate.ours > best.rate.ours ? rung : best), first)
}

function findingsOf(rungs: readonly Rung[], best: Rung): Findings {
  return {
    lines: [
      '',
      ['', 'auth/s', 'ceiling/s', 'ratio', 'CPU µs', 'ceiling', 'a sync', 'p50 ms', 'p99 ms']
        .map(narrow)
        .join(''),
      ...rungs.map(row),
      '',
    ],
    figures: {
      by_connections: Object.fromEntries(rungs.map((rung) => [rung.connections, figuresOf(rung)])),
      best_connections: best.connections,
      decisions_per_cpu_second: Math.round(1e6 / best.cpu.ours),
    },
    targets: [],
    ratios: [
      ratioOf(best.rate, {
        sentence:
          'durable authorizations a second : the ceiling, ' + best.connections + ' connections',
        unit: '/s',
        bound: { atLeast: CEILING_RATIO_MIN },
      }),
      ratioOf(best.cpu, {
        sentence: 'processor time of an authorization : of an answer of the ceiling',
        unit: 'µs',
      }),
    ],
    flaws: [...new Set(rungs.flatMap(flawsOf))],
    series: [
      {
        chart: 'Durable authorizations a second by connections',
        x: 'connections',
        y: 'a second',
        logX: true,
        lines: [
          {
            name: 'engine',
            points: rungs.map(({ connections, rate }) => [connections, rate.ours]),
          },
          {
            name: 'ceiling',
            points: rungs.map(({ connections, rate }) => [connections, rate.theirs]),
          },
        ],
      },
    ],
  }
}

function flawsOf({ connections, rounds }: Rung): string[] {
  return rounds
    .flatMap(({ engine, ceiling }) => [...engine.flaws, ...ceiling.flaws])
    .map((flaw) => connections + ' connections: ' + flaw)
}

function figuresOf({ rounds, rate, cpu, perSync }: Rung) {
  const at = percentilesOf(rounds.map(({ engine }) => engine.latency))
  return {
    engine_per_second: rate.ours,
    ceiling_per_second: rate.theirs,
    ratio: rate.ratio,
    engine_cpu_us: cpu.ours,
    ceiling_cpu_us: cpu.theirs,
    entries_per_sync: perSync,
    sender_share: rounded(Math.max(...rounds.map(({ engine }) => engine.senderShare))),
    ceiling_sender_share: rounded(Math.max(...rounds.map(({ ceiling }) => ceiling.senderShare))),
    ...at,
  }
}

function row(rung: Rung): string {
  const { rate, cpu, perSync, rounds } = rung
  const { p50, p99 } = percentilesOf(rounds.map(({ engine }) => engine.latency))
  return [
    rung.connections + ' connections',
    Math.round(rate.ours),
    Math.round(rate.theirs),
    rate.ratio,
    cpu.ours,
    cpu.theirs,
    perSync ?? '–',
    p50,
    p99,
  ]
    .map(narrow)
    .join('')
}

function narrow(value: string | number, at: number): string {
  return at === 0 ? column(value, at) : String(value).padStart(11)
}
