// What an authorization costs by the number of cards: an engine for each number, all of them running, asked in turns at one rate.
import { column } from '../figures.ts'
import { type Generator, startGenerator } from '../generator.ts'
import { percentilesOf } from '../latency.ts'
import type { EngineStand } from '../line/engine.ts'
import { openEngineAlone } from '../line/engine-alone.ts'
import { askEngine, type Sample } from '../line/sample.ts'
import type { BenchOptions, Findings } from '../measured.ts'
import { compare, inTurns, pairsOf, type Round, ratioOf } from '../pairs.ts'

const SIZES = { full: [10_000, 100_000, 1_000_000], quick: [10_000, 100_000] } as const
const GROWTH_MAX = 1.3
const PACE = {
  full: { seconds: 2, warmSeconds: 0.3, warmed: 120_000 },
  quick: { seconds: 1, warmSeconds: 0.5, warmed: 40_000 },
}
const RATE_PER_S = 5000
const CONNECTIONS = 64
const WARM_SECONDS_MAX = 120

export async function measureCards(options: BenchOptions): Promise<Findings> {
  const sizes = options.quick ? SIZES.quick : SIZES.full
  const stands: EngineStand[] = []
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
    const rounds = await inTurns(sidesOf({ stands, generator, sizes }, pace), pairsOf(options))
    return findingsOf(sizes, rounds)
  } finally {
    for (const stop of stops.reverse()) await stop()
  }
}

/** So many that the code is compiled and the records that are kept decoded are those of a long run. */
async function warm(stand: EngineStand, generator: Generator, count: number): Promise<void> {
  await generator.make(stand.messages(count))
  const { port } = stand
  await generator.send({
    port,
    connections: CONNECTIONS,
    rate: null,
    seconds: WARM_SECONDS_MAX,
  })
}

interface Parts {
  stands: readonly EngineStand[]
  generator: Generator
  sizes: readonly number[]
}

function sidesOf(
  { stands, generator, sizes }: Parts,
  pace: { seconds: number; warmSeconds: number },
): { [size: string]: () => Promise<Sample> } {
  const shot = { connections: CONNECTIONS, rate: RATE_PER_S, ...pace }
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

function findingsOf(sizes: readonly number[], rounds: readonly Round<string, Sample>[]): Findings {
  const [least, most] = [nameOf(sizes[0] ?? 0), nameOf(sizes.at(-1) ?? 0)]
  const p50 = ({ latency }: Sample): number => percentilesOf([latency]).p50
  const grown = compare(rounds, [most, least], ({ cpuUs }) => cpuUs)
  const later = compare(rounds, [most, least], p50)
  const told = sizes.map((size) => {
    const name = nameOf(size)
    const own = compare(rounds, [name, least], ({ cpuUs }) => cpuUs)
    return { size, name, cpuUs: own.ours, p50Ms: compare(rounds, [name, least], p50).ours }
  })
  return {
    lines: [
      '',
      ['', 'CPU µs each', 'p50 ms'].map(column).join(''),
      ...told.map(({ name, cpuUs, p50Ms }) => [name, cpuUs, p50Ms].map(column).join('')),
    ],
    figures: Object.fromEntries(told.map(({ name, cpuUs, p50Ms }) => [name, { cpuUs, p50Ms }])),
    targets: [],
    flaws: [
      ...new Set(rounds.flatMap((round) => Object.values(round).flatMap((one) => one.flaws))),
    ],
    ratios: [
      ratioOf(grown, {
        sentence: 'processor time of an authorization, ' + most + ' : ' + least,
        unit: 'µs',
        bound: { atMost: GROWTH_MAX },
      }),
      ratioOf(later, {
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
        lines: [{ name: 'the engine', points: told.map(({ size, cpuUs }) => [size, cpuUs]) }],
      },
    ],
  }
}
