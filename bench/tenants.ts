// Tenants in real time: the time that the engine adds to a tenant's own round trip, and the effect
// of a hanging tenant on the others.

import { rmSync } from 'node:fs'
import { column, median, rounded } from './figures.ts'
import { flawsOf, type Generator, startGenerator } from './generator.ts'
import { curveOf, type Percentiles, percentilesOf } from './latency.ts'
import type { CardChoice } from './line/engine.ts'
import { type LineTestbed, openLineTestbed } from './line/testbed.ts'
import { newDirectory } from './machine.ts'
import { type BenchOptions, type Findings, type Measured, measureParts } from './measured.ts'
import { compare, inTurns, pairsOf, type Round, ratioOf } from './pairs.ts'
import type { Sent } from './sender.ts'
import { chartsOf, stagesOf } from './steps/timings.ts'
import { type BenchTenant, startBenchTenant } from './tenants/tenant.ts'

const CARDS = 10_000
const TENANTS = 100
const RATE_PER_S = 1000
/** Rate of the hanging tenant; an equal share would be a tenth of it. */
const HANGING_RATE_PER_S = 100
const CONNECTIONS = 64
/** An unanswered authorization request holds its connection for a second and a half. */
const HANGING_CONNECTIONS = 256
const ADDED_P50_MS_MAX = 1
const ADDED_P99_MS_MAX = 3
const NEIGHBOURS_P99_RATIO_MAX = 1.25
const PACE = {
  full: { seconds: 3, warmed: 30_000 },
  quick: { seconds: 1.5, warmed: 8_000 },
}
/**
 * Few connections, because no request may wait long while code is compiled: a breaker that opened
 * then would stay open.
 */
const WARM_CONNECTIONS = 16
const WARM_SECONDS_MAX = 120
/** Pause before each round: a tenant whose behavior changed is asked again within a second. */
const SETTLE_S = 1.5

export const TENANTS_BENCH: Measured = {
  name: 'tenants',
  seconds: { full: 190, quick: 50 },
  run,
}

interface Scene {
  stand: LineTestbed
  tenant: BenchTenant
  generators: readonly [others: Generator, hanging: Generator]
  options: BenchOptions
}

async function run(options: BenchOptions): Promise<Findings> {
  const directory = newDirectory()
  const stops: (() => unknown)[] = [() => rmSync(directory, { recursive: true, force: true })]
  try {
    const tenant = await startBenchTenant(directory)
    stops.push(() => tenant.server.stop())
    options.log('Seeding ' + TENANTS + ' tenants that are asked.')
    const tenants = Array.from({ length: TENANTS }, (_, at) => ({
      url: at === 0 ? tenant.hangingUrl : tenant.url,
    }))
    const stand = await openLineTestbed({ cards: CARDS, tenants })
    stops.push(() => stand.close())
    // Senders and tenants would fill the half of a small machine on which the engine's threads sign
    // and call.
    const generators = [startGenerator('anywhere'), startGenerator('anywhere')] as const
    for (const generator of generators) stops.push(() => generator.stop())
    const scene = { stand, tenant, generators, options }
    options.log('Compiling.')
    await warm(scene)
    return await measureParts([
      ['added', () => added(scene)],
      ['hanging', () => hanging(scene)],
    ])
  } finally {
    for (const stop of stops.reverse()) await stop()
  }
}

const OTHERS: CardChoice = { tenants: Array.from({ length: TENANTS - 1 }, (_, at) => at + 1) }
const HANGING: CardChoice = { tenants: [0] }

/**
 * Uses every thread and every connection to every tenant, as in a long run, and leaves nothing to
 * drain.
 */
async function warm({ stand, tenant, generators: [others], options }: Scene): Promise<void> {
  const { warmed } = options.quick ? PACE.quick : PACE.full
  const load = { connections: WARM_CONNECTIONS, rate: null, seconds: WARM_SECONDS_MAX }
  await others.make(stand.messages(warmed))
  await others.send({ ...load, port: stand.port })
  await others.make(await tenant.sameRequest())
  await others.send({ ...load, port: tenant.server.port, seconds: 1, repeats: true })
  await stand.drained()
}

/**
 * The same authorization request at the same rate over the same number of connections: through the
 * engine, and straight to the tenant.
 */
async function added(scene: Scene): Promise<Findings> {
  const { stand, tenant, generators, options } = scene
  const [generator] = generators
  options.log('Measuring the tenant through the engine and directly, in turns.')
  const { seconds } = options.quick ? PACE.quick : PACE.full
  const load = { connections: CONNECTIONS, rate: RATE_PER_S, seconds, warmSeconds: 1 }
  const request = await tenant.sameRequest()
  const throughEngine = async (): Promise<Sent> => {
    await generator.make(stand.messages((seconds + 2) * RATE_PER_S, OTHERS))
    const sent = await generator.send({ ...load, port: stand.port })
    // The remaining drain would run beside the tenant alone.
    await stand.drained()
    return sent
  }
  const rounds = await inTurns(
    {
      line: throughEngine,
      tenant: async () => {
        await generator.make(request)
        return generator.send({ ...load, port: tenant.server.port, repeats: true })
      },
    },
    pairsOf(options),
  )
  const more = (of: (latency: Percentiles) => number): number =>
    rounded(
      median(
        rounds.map(
          (round) =>
            of(percentilesOf([round.line.latency])) - of(percentilesOf([round.tenant.latency])),
        ),
      ),
    )
  const [p50, p99] = [more((latency) => latency.p50), more((latency) => latency.p99)]
  const parts = await stagesOf(stand, async () => void (await throughEngine()))
  const chart = 'A tenant on the same machine, ' + RATE_PER_S + ' a second'
  return {
    lines: [
      '',
      ['', 'p50 ms', 'p99 ms', 'p99.9 ms'].map(column).join(''),
      row('through the engine', rounds, 'line'),
      row('the tenant directly', rounds, 'tenant'),
      ['added', p50, p99].map(column).join(''),
      '',
    ],
    figures: { added_p50_ms: p50, added_p99_ms: p99, stages: parts },
    targets: [
      {
        sentence: 'added to the tenant’s own round trip at the median : 1 ms',
        ratio: rounded(p50 / ADDED_P50_MS_MAX),
        atMost: 1,
      },
      {
        sentence: 'added to the tenant’s own round trip at p99 : 3 ms',
        ratio: rounded(p99 / ADDED_P99_MS_MAX),
        atMost: 1,
      },
    ],
    flaws: flawsIn(rounds, { line: 'the engine', tenant: 'the tenant' }),
    curves: [
      curveOf(latencies(rounds, 'line'), { chart, name: 'through the engine' }),
      curveOf(latencies(rounds, 'tenant'), { chart, name: 'the tenant directly' }),
    ],
    stages: chartsOf(parts, 'with a tenant, ' + RATE_PER_S + ' a second'),
  }
}

/** Ninety-nine tenants that answer, beside one that gets a tenth more and hangs or answers. */
async function hanging(scene: Scene): Promise<Findings> {
  const { options, stand } = scene
  options.log('Measuring ninety-nine tenants beside one that hangs, or does not, in turns.')
  let standIns = 0
  const rounds = await inTurns(
    {
      hanging: async () => {
        const before = await stand.metric(STAND_INS)
        const sent = await beside(scene, 'hang')
        standIns += (await stand.metric(STAND_INS)) - before
        return sent
      },
      answering: () => beside(scene, 'answer'),
    },
    pairsOf(options),
  )
  const ratio = ratioOf(
    compare(rounds, ['hanging', 'answering'], ({ latency }) => percentilesOf([latency]).p99),
    {
      sentence: 'p99 of 99 tenants beside one that hangs : beside one that answers',
      unit: 'ms',
      bound: { atMost: NEIGHBOURS_P99_RATIO_MAX },
    },
  )
  const chart = 'Ninety-nine tenants beside one that hangs'
  const flaws = flawsIn(rounds, { hanging: 'beside who hangs', answering: 'beside who answers' })
  return {
    lines: [
      ['', 'p50 ms', 'p99 ms', 'p99.9 ms'].map(column).join(''),
      row('beside one that hangs', rounds, 'hanging'),
      row('beside one that answers', rounds, 'answering'),
      '',
    ],
    figures: { stand_ins_for_who_hangs: standIns },
    targets: [],
    flaws: standIns === 0 ? [...flaws, 'nobody was hanging'] : flaws,
    ratios: [ratio],
    curves: [
      curveOf(latencies(rounds, 'hanging'), { chart, name: 'one hangs' }),
      curveOf(latencies(rounds, 'answering'), { chart, name: 'all answer' }),
    ],
  }
}

const STAND_INS = 'svc_decisions_total{outcome="approved",reason="approved_by_stand_in"}'

/** Latency of the other tenants. */
async function beside(scene: Scene, how: 'hang' | 'answer'): Promise<Sent> {
  const { stand, tenant, options } = scene
  const [others, one] = scene.generators
  const { seconds } = options.quick ? PACE.quick : PACE.full
  const all = SETTLE_S + seconds + 1
  await tenant.behave(how)
  await others.make(stand.messages(all * RATE_PER_S, OTHERS))
  await one.make(stand.messages(all * HANGING_RATE_PER_S, HANGING))
  const { port } = stand
  const load = { port, seconds, warmSeconds: SETTLE_S }
  const [sent] = await Promise.all([
    others.send({ ...load, connections: CONNECTIONS, rate: RATE_PER_S }),
    one.send({ ...load, connections: HANGING_CONNECTIONS, rate: HANGING_RATE_PER_S }),
  ])
  await tenant.behave('answer')
  return sent
}

function latencies<Side extends string>(
  rounds: readonly Round<Side, Sent>[],
  side: Side,
): string[] {
  return rounds.map((round) => round[side].latency)
}

function row<Side extends string>(
  name: string,
  rounds: readonly Round<Side, Sent>[],
  side: Side,
): string {
  const { p50, p99, p99_9 } = percentilesOf(latencies(rounds, side))
  return [name, p50, p99, p99_9].map(column).join('')
}

function flawsIn<Side extends string>(
  rounds: readonly Round<Side, Sent>[],
  names: { readonly [Name in Side]: string },
): string[] {
  const flaws = rounds.flatMap((round) =>
    (Object.keys(names) as Side[]).flatMap((side) => flawsOf(names[side], round[side])),
  )
  return [...new Set(flaws)]
}
