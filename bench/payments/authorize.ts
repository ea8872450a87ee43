// Payments are authorized at a steady rate while no chain answers: latency, and the api's processor
// time beside a keyed write that asks no engine, in turns.
import { rounded } from '../figures.ts'
import { flawsOf } from '../generator.ts'
import { curveOf, percentilesOf } from '../latency.ts'
import type { BenchOptions, Findings } from '../measured.ts'
import { compare, inTurns, pairsOf, ratioOf } from '../pairs.ts'
import type { PaymentsTestbed } from './testbed.ts'

export const PAYMENTS_PER_S = 200
const CONNECTIONS = 16
const PACE = { full: { seconds: 10, warmSeconds: 10 }, quick: { seconds: 3, warmSeconds: 5 } }
const P99_MS_MAX = 10
const CPU_RATIO_MAX = 2.5

interface Sample {
  /** Microseconds of the api for each good answer. */
  cpuUs: number
  latency: string
  flaws: readonly string[]
}

export async function measureAuthorize(
  stand: PaymentsTestbed,
  options: BenchOptions,
): Promise<Findings> {
  const { seconds, warmSeconds } = options.quick ? PACE.quick : PACE.full
  const ask = async (name: string, of: PaymentsTestbed['payments'], span: number) => {
    const { api, generator } = stand
    const requests = of(span * PAYMENTS_PER_S + CONNECTIONS)
    await generator.make({ kind: 'whole', requests })
    const before = api.cpuUs()
    const load = { port: api.port, connections: CONNECTIONS, rate: PAYMENTS_PER_S, seconds: span }
    const sent = await generator.send(load)
    const cpuUs = (api.cpuUs() - before) / Math.max(1, sent.all)
    return { cpuUs, latency: sent.latency, flaws: flawsOf(name, sent) } satisfies Sample
  }
  options.log('Authorizing ' + PAYMENTS_PER_S + ' payments a second, without a chain.')
  const sides = {
    payments: () => ask('payments', stand.payments, seconds),
    writes: () => ask('writes', stand.writes, seconds),
  }
  await ask('payments', stand.payments, warmSeconds)
  await ask('writes', stand.writes, warmSeconds)
  const rounds = await inTurns(sides, pairsOf(options))
  const latencies = rounds.map(({ payments }) => payments.latency)
  const { p50, p99, count } = percentilesOf(latencies)
  const cpu = compare(rounds, ['payments', 'writes'], ({ cpuUs }) => cpuUs)
  return {
    lines: [
      'authorize at ' + PAYMENTS_PER_S + '/s without a chain, ms: p50 ' + p50 + ', p99 ' + p99,
      'processor time of the api, µs: a payment ' + cpu.ours + ', a keyed write ' + cpu.theirs,
    ],
    figures: { payments: count, authorize_ms: { p50, p99 }, api_cpu_us: cpu },
    targets: [
      {
        sentence: 'p99 of an authorization without a chain : ' + P99_MS_MAX + ' ms',
        ratio: rounded(p99 / P99_MS_MAX),
        atMost: 1,
      },
    ],
    ratios: [
      ratioOf(cpu, {
        sentence: 'processor time of a payment : a keyed write without the engine',
        unit: 'µs',
        bound: { atMost: CPU_RATIO_MAX },
      }),
    ],
    curves: [curveOf(latencies, { chart: 'Payments at 200/s', name: 'authorize' })],
    flaws: [
      ...new Set(rounds.flatMap(({ payments, writes }) => [...payments.flaws, ...writes.flaws])),
    ],
  }
}
