// Authorizations while their usage is counted beside the engine, and without, in turns. The sender
// and the count share the machine with the engine: the processor time of an answer is the engine's.
import { startGenerator } from '../generator.ts'
import { askEngine, type Shot } from '../line/sample.ts'
import { openLineTestbed } from '../line/testbed.ts'
import type { BenchOptions, Findings } from '../measured.ts'
import { compare, inTurns, pairsOf, ratioOf } from '../pairs.ts'
import { openCount } from './beside.ts'

const CARDS = 2000
const WARM_MESSAGES = 60_000
const SECONDS = { full: 8, quick: 3 }
/** Chosen: a rate at which nobody is the limit. */
const RATE = 1000
const COST_MAX = 1 / 0.99
const SENTENCE = 'processor time of an authorization with the count of usage beside : without it'

export async function measureLine(options: BenchOptions): Promise<Findings> {
  const stand = await openLineTestbed({ cards: CARDS })
  const generator = startGenerator()
  const counting = openCount(stand.databaseUrl)
  try {
    const seconds = options.quick ? SECONDS.quick : SECONDS.full
    const shot: Shot = { connections: 16, rate: RATE, seconds, warmSeconds: 1 }
    const ask = () => askEngine({ stand, generator }, shot)
    await generator.make(stand.messages(WARM_MESSAGES))
    await generator.send({ connections: 256, rate: null, seconds: 30, port: stand.port })
    await stand.drained()
    await counting.count()
    options.log('Authorizing with the count of usage beside the engine, and without, in turns.')
    const sides = {
      metered: async () => {
        const sample = await counting.during(ask)
        await stand.drained()
        return sample
      },
      alone: async () => {
        const sample = await ask()
        await stand.drained()
        // Counted outside of every measurement.
        await counting.count()
        return sample
      },
    }
    const rounds = await inTurns(sides, pairsOf(options))
    const ratio = ratioOf(
      compare(rounds, ['metered', 'alone'], ({ cpuUs }) => cpuUs),
      { sentence: SENTENCE, unit: 'µs', bound: { atMost: COST_MAX } },
    )
    const passed = await counting.count()
    const flaws = rounds.flatMap(({ metered, alone }) => [...metered.flaws, ...alone.flaws])
    return {
      lines: ['processor time of an authorization, metered : alone ' + ratio.ratio],
      figures: { metered_us: ratio.ours, alone_us: ratio.theirs, events_counted: passed },
      targets: [],
      ratios: [ratio],
      flaws: passed === 0 ? [...flaws, 'nothing was counted'] : flaws,
    }
  } finally {
    await counting.close()
    await generator.stop()
    await stand.close()
  }
}
