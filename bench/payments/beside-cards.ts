// Cards at a steady rate beside 200 payments a second, or as many as the machine answers, and
// alone, in turns.
import { startGenerator } from '../generator.ts'
import { percentilesOf } from '../latency.ts'
import { askEngine, type Sample } from '../line/sample.ts'
import type { BenchOptions, Findings } from '../measured.ts'
import { compare, inTurns, pairsOf, ratioOf } from '../pairs.ts'
import { PAYMENTS_PER_S } from './authorize.ts'
import type { PaymentsTestbed } from './testbed.ts'

const CARDS_PER_S = 1000
const CONNECTIONS = 16
const PACE = { full: { seconds: 8, warmSeconds: 8 }, quick: { seconds: 3, warmSeconds: 4 } }
const RATIO_MAX = 1.1

export async function measureBesideCards(
  stand: PaymentsTestbed,
  options: BenchOptions,
): Promise<Findings> {
  const { seconds, warmSeconds } = options.quick ? PACE.quick : PACE.full
  const cards = startGenerator()
  try {
    const alone = (span = seconds): Promise<Sample> => {
      const shot = { connections: CONNECTIONS, rate: CARDS_PER_S, seconds: span, warmSeconds: 1 }
      return askEngine({ stand, generator: cards }, shot)
    }
    let paid = 0
    const beside = async (): Promise<Sample> => {
      // Payments begin before the cards' warm-up ends, and stop after the last card.
      const span = seconds + 2
      const { generator, api } = stand
      const requests = stand.payments(span * PAYMENTS_PER_S + CONNECTIONS)
      await generator.make({ kind: 'whole', requests })
      const load = { port: api.port, connections: CONNECTIONS, rate: PAYMENTS_PER_S }
      const [sample, sent] = await Promise.all([
        alone(),
        generator.send({ ...load, seconds: span }),
      ])
      paid += sent.all
      return sample
    }
    options.log('Cards at ' + CARDS_PER_S + '/s beside payments, and alone, in turns.')
    await alone(warmSeconds)
    const rounds = await inTurns({ beside, alone: () => alone() }, pairsOf(options))
    const paidPerS = Math.round(paid / rounds.length / (seconds + 2))
    const p99 = ({ latency }: Sample): number => percentilesOf([latency]).p99
    const ratio = ratioOf(compare(rounds, ['beside', 'alone'], p99), {
      sentence: 'p99 of cards beside ' + paidPerS + ' payments a second : alone',
      unit: 'ms',
      bound: { atMost: RATIO_MAX },
    })
    return {
      lines: ['p99 of cards, ms: beside payments ' + ratio.ours + ', alone ' + ratio.theirs],
      figures: { cards_per_s: CARDS_PER_S, payments_beside: paid, payments_per_s: paidPerS },
      targets: [],
      ratios: [ratio],
      flaws: [
        ...new Set(rounds.flatMap((round) => [...round.beside.flaws, ...round.alone.flaws])),
        ...(paid === 0 ? ['no payment was authorized beside the cards'] : []),
      ],
    }
  } finally {
    await cards.stop()
  }
}
