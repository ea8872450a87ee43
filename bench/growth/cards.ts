// Measures the cost of an authorization by the number of cards: one engine for each number, all of
// them running, asked in turns, at a fixed rate and at full speed. At the fixed rate most of the
// cost is the sync, which does not depend on cards.
import { column } from '../figures.ts'
import { type Generator, startGenerator } from '../generator.ts'
import { percentilesOf } from '../latency.ts'
import type { EngineTestbed } from '../line/engine.ts'
import { openEngineAlone } from '../line/engine-alone.ts'
import { askEngine, type Sample, type Shot } from '../line/sample.ts'
import type { BenchOptions, Findings } from '../measured.ts'
import { compare, inTurns, pairsOf, type Round, ratioOf } from '../pairs.ts'

const SIZES = { full: [10_000, 100_000, 1_000_000], quick: [10_000, 100_000] } as const
const GROWTH_MAX = 1.3
const PACE = {
  full: { seconds: 2, warmSeconds: 0.3, warmed: 120_000 },
  quick: { seconds: 1, warmSeconds: 0.5, warmed: 40_000 },
}
/** One at a rate, one with whatever it can. */
const LOADS = {
  paced: { rate: 5000, connections: 64 },
  full: { rate: null, connections: 256 },
} as const
const WARM_SECONDS_MAX = 120

export async function measureCards(options: BenchOptions): Promise<Findings> {
  const sizes = options.quick ? SIZES.quick : SIZES.full
  const stands: EngineTestbed[] = []
  const generator = startGenerator()
  const stops: (() => Promise<void>)[] = [() => generator.stop()]
  try {
    for (const cards of sizes) {
      options.log('Seeding ' + cards.toLocaleString('en') + ' cards.')
      const stand = await openEngineAlone({ cards })
      stops.push(() => stand.close())
      stands.push(stand)
    }
    const { warmed, ...pace } = options.quick ? PACE.quick : PACE.full
    for (const stand of stands) await warm(stand, generator, warmed)
    options.log('Asking engines with ' + sizes.join(', ') + ' cards in turns.')
    const ask = (load: Load): Promise<Rounds> =>
      inTurns(sidesOf({ stands, generator, sizes }, { ...load, ...pace }), pairsOf(options))
    return findingsOf(sizes, { paced: await ask(LOADS.paced), full: await ask(LOADS.full) })
  } finally {
    for (const stop of stops.reverse()) await stop()
  }
}

/**
 * Sends enough messages to compile the code and to fill the cache of decoded records as a long run
 * does.
 */
async function warm(stand: EngineTestbed, generator: Generator, count: number): Promise<void> {
  await generator.make(stand.messages(count))
  const { port } = stand
  await generator.send({
    port,
    ...LOADS.full,
    seconds: WARM_SECONDS_MAX,
  })
}

type Load = (typeof LOADS)[keyof typeof LOADS]
type Rounds = readonly Round<string, Sample>[]

interface Parts {
  stands: readonly EngineTestbed[]
  generator: Generator
  sizes: readonly number[]
}

function sidesOf(
  { stands, generator, sizes }: Parts,
  shot: Shot,
): { [size: string]: () => Promise<Sample> } {
  return Object.fromEntries(
    stands.map((stand, at) => [
      nameOf(sizes[at] ?? 0),
      () => askEngine({ stand, generator }, shot),
    ]),
  )
}

/** Not a number: those would be sorted. */
function nameOf(size: number): string {
  return size.toLocaleString('en') + ' cards'
}

function findingsOf(
  sizes: readonly number[],
  { paced, full }: { [Name in keyof typeof LOADS]: Rounds },
): Findings {
  const [least, most] = [nameOf(sizes[0] ?? 0), nameOf(sizes.at(-1) ?? 0)]
  const p50 = ({ latency }: Sample): number => percentilesOf([latency]).p50
  const cpuUs = (sample: Sample): number => sample.cpuUs
  const told = sizes.map((size) => {
    const name = nameOf(size)
    return {
      size,
      name,
      cpuUs: compare(paced, [name, least], cpuUs).ours,
      p50Ms: compare(paced, [name, least], p50).ours,
      fullCpuUs: compare(full, [name, least], cpuUs).ours,
    }
  })
  const rate = LOADS.paced.rate.toLocaleString('en') + ' a second'
  return {
    lines: [
      '',
      ['', 'CPU at rate', 'p50 ms', 'CPU at most'].map(column).join(''),
      ...told.map((one) => [one.name, one.cpuUs, one.p50Ms, one.fullCpuUs].map(column).join('')),
    ],
    figures: Object.fromEntries(told.map(({ name, size: _, ...figures }) => [name, figures])),
    targets: [],
    flaws: [
      ...new Set(
        [...paced, ...full].flatMap((round) => Object.values(round).flatMap((one) => one.flaws)),
      ),
    ],
    ratios: [
      ratioOf(compare(paced, [most, least], cpuUs), {
        sentence: 'processor time of an authorization at ' + rate + ', ' + most + ' : ' + least,
        unit: 'µs',
        bound: { atMost: GROWTH_MAX },
      }),
      ratioOf(compare(full, [most, least], cpuUs), {
        sentence: 'processor time of an authorization at full load, ' + most + ' : ' + least,
        unit: 'µs',
        bound: { atMost: GROWTH_MAX },
      }),
      ratioOf(compare(paced, [most, least], p50), {
        sentence: 'median of an authorization, ' + most + ' : ' + least,
        unit: 'ms',
      }),
    ],
    series: [
      {
        chart: 'Cost of an authorization by cards',
        x: 'cards',
        y: 'CPU µs each',
        logX: true,
        lines: [
          { name: 'at ' + rate, points: told.map((one) => [one.size, one.cpuUs]) },
          { name: 'at full load', points: told.map((one) => [one.size, one.fullCpuUs]) },
        ],
      },
    ],
  }
}
