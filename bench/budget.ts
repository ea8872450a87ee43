// Keeps the accepted ratios, each with a tolerance for one run, and reports those that became
// worse. All are ratios of two sides measured in turns, so they mean the same on another machine. A
// change that makes something faster lowers its row; a change that makes something slower on
// purpose says why in the commit that raises it.
import { readdirSync, readFileSync } from 'node:fs'
import { HELD_LINE, measureHeld } from './budget/held.ts'
import { undisturbed } from './budget/undisturbed.ts'
import { column, rounded } from './figures.ts'
import { flawsOf, perSecond, startGenerator } from './generator.ts'
import { startCeiling } from './line/ceiling.ts'
import type { EngineTestbed } from './line/engine.ts'
import { openEngineAlone } from './line/engine-alone.ts'
import { type BenchOptions, type Findings, type Measured, measureParts } from './measured.ts'
import { compare, inTurns, type Round, ratioOf } from './pairs.ts'
import type { Server } from './server-process.ts'

const AUTHORIZATION = 'processor time of an authorization : of a request to the ceiling'

export interface Accepted {
  bench: string
  /** The sentence of the ratio in the bench's findings. */
  sentence: string
  ratio: number
  better: 'lower' | 'higher'
  /** Part by which it may be worse; below half of the slowdown that must be seen. */
  tolerance: number
}

export const BUDGET: readonly Accepted[] = [
  { bench: 'budget', sentence: HELD_LINE, ratio: 1.62, better: 'lower', tolerance: 0.05 },
  { bench: 'budget', sentence: AUTHORIZATION, ratio: 4.9, better: 'lower', tolerance: 0.07 },
]

/**
 * Returns one sentence for each ratio that is worse than the accepted one; ratios that were not
 * measured are not judged.
 */
export function overBudget(
  findings: { readonly [bench: string]: Pick<Findings, 'ratios'> },
  budget: readonly Accepted[] = BUDGET,
): string[] {
  return budget.flatMap((accepted) => {
    const ratios = findings[accepted.bench]?.ratios ?? []
    const ratio = ratios.find(({ sentence }) => sentence === accepted.sentence)?.ratio
    return ratio === undefined || keeps(accepted, ratio) ? [] : [sentenceOf(accepted, ratio)]
  })
}

function keeps({ ratio: before, better, tolerance }: Accepted, ratio: number): boolean {
  return better === 'lower' ? ratio <= before * (1 + tolerance) : ratio >= before * (1 - tolerance)
}

function sentenceOf({ sentence, ratio: before, tolerance }: Accepted, ratio: number): string {
  const change = percent(ratio / before - 1)
  const told =
    ratio + ' instead of ' + before + ' (' + (ratio > before ? '+' : '') + change + ' %, '
  return sentence + ': ' + told + percent(tolerance) + ' % are noise)'
}

function percent(part: number): number {
  return Math.round(part * 1000) / 10
}

const CARDS = 10_000
const CONNECTIONS = 64
/** Counted, not timed: on a busy machine seconds do not show how warm a process is. */
const PACE = {
  full: { pairs: 9, requests: 40_000, warmRequests: 120_000 },
  quick: { pairs: 5, requests: 20_000, warmRequests: 80_000 },
}
const SECONDS_MAX = 120

export const GUARD: Measured = {
  name: 'budget',
  seconds: { full: 50, quick: 15 },
  run,
}

/** Microseconds of the processor for each request, and the flaws of the run. */
interface Sample {
  cpuUs: number
  perSecond: number
  flaws: string[]
}

async function run(options: BenchOptions): Promise<Findings> {
  return measureParts([
    ['held', () => measureHeld(options)],
    ['engine', () => measureEngine(options)],
  ])
}

async function measureEngine(options: BenchOptions): Promise<Findings> {
  const planted = process.env['BENCH_PLANT'] ?? '0'
  if (planted !== '0') options.log('Every message is slowed down by ' + planted + ' %, on purpose.')
  const stand = await openEngineAlone({ cards: CARDS, environment: planting(planted) })
  const ceiling = await startCeiling(stand.directory)
  const generator = startGenerator()
  try {
    const ask = asker(stand, ceiling, generator)
    const pace = options.quick ? PACE.quick : PACE.full
    for (const side of ['line', 'ceiling'] as const) await ask[side](pace.warmRequests)
    options.log('Measuring the line and the ceiling in turns.')
    const rounds = await inTurns(
      { line: () => ask.line(pace.requests), ceiling: () => ask.ceiling(pace.requests) },
      pace.pairs,
    )
    const compared = compare(rounds, ['line', 'ceiling'], ({ cpuUs }) => cpuUs)
    const ratio = ratioOf(
      { ...compared, ratio: ratioOfBests(rounds) },
      { sentence: AUTHORIZATION, unit: 'µs' },
    )
    const rates = compare(rounds, ['line', 'ceiling'], (sample) => sample.perSecond)
    return {
      lines: [
        '',
        ['', 'CPU µs each', 'a second'].map(column).join(''),
        ['an authorization', ratio.ours, Math.round(rates.ours)].map(column).join(''),
        ['a request to the ceiling', ratio.theirs, Math.round(rates.theirs)].map(column).join(''),
        '',
      ],
      figures: { planted_percent: Number(planted), ratio: ratio.ratio, spread: spread(ratio.each) },
      targets: [],
      flaws: [
        ...new Set(rounds.flatMap(({ line, ceiling: one }) => [...line.flaws, ...one.flaws])),
      ],
      ratios: [ratio],
    }
  } finally {
    await generator.stop()
    await ceiling.stop()
    await stand.close()
  }
}

function planting(percent: string): { readonly [name: string]: string } {
  if (percent === '0') return {}
  const preload = new URL('plant.ts', import.meta.url).href
  return { BENCH_PLANT: percent, NODE_OPTIONS: '--import=' + preload }
}

function asker(
  stand: EngineTestbed,
  ceiling: Server,
  generator: ReturnType<typeof startGenerator>,
) {
  const sample = async (server: Server, count: number): Promise<Sample> => {
    await generator.make(stand.messages(count))
    const cpuBefore = cpuNsOf(server.pid)
    const load = { port: server.port, connections: CONNECTIONS, rate: null, seconds: SECONDS_MAX }
    const sent = await generator.send(load)
    const cpuNs = cpuNsOf(server.pid) - cpuBefore
    const rate = perSecond(sent)
    // All are sent and then none is left; and how busy the sender is does not matter where no
    // latency is looked at.
    const flaws = flawsOf(server.name, { ...sent, senderShare: 0, missing: 0 })
    return { cpuUs: cpuNs / 1000 / (rate * sent.seconds), perSecond: rate, flaws }
  }
  return {
    line: (count: number) => sample(stand.engine, count),
    ceiling: (count: number) => sample(ceiling, count),
  }
}

/**
 * Nanoseconds of processor time of its threads: the ticks of `/proc/PID/stat` are too coarse for
 * half a second.
 */
function cpuNsOf(pid: number): number {
  const tasks = '/proc/' + pid + '/task'
  return readdirSync(tasks).reduce(
    (sum, task) =>
      sum + Number(readFileSync(tasks + '/' + task + '/schedstat', 'utf8').split(' ')[0]),
    0,
  )
}

function ratioOfBests(rounds: readonly Round<'line' | 'ceiling', Sample>[]): number {
  const best = (side: 'line' | 'ceiling'): number =>
    undisturbed(rounds.map((round) => round[side].cpuUs))
  return rounded(best('line') / best('ceiling'))
}

function spread(each: readonly number[]): number {
  return rounded(Math.max(...each) / Math.min(...each))
}
