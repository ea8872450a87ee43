// Payments are authorized at a steady rate while no chain answers: latency, and the api's processor
// time beside a keyed write that asks no engine, in turns. Where the machine does not carry the
// rate of the goal, the measurement goes at a rate that it carries, and says so.
import { rounded } from '../figures.ts'
import { flawsOf } from '../generator.ts'
import { curveOf, percentilesOf } from '../latency.ts'
import type { BenchOptions, Findings } from '../measured.ts'
import { compare, inTurns, pairsOf, ratioOf } from '../pairs.ts'
import type { PaymentsTestbed } from './testbed.ts'

export const PAYMENTS_PER_S = 200
const WARM_PER_S = 50
const CONNECTIONS = 16
const PACE = { full: { seconds: 10, warmSeconds: 10 }, quick: { seconds: 3, warmSeconds: 5 } }
const P99_MS_MAX = 10
/**
 * Chosen: part of a processor that the api may use for latencies that tell of its work and not of a
 * queue; engine, PostgreSQL and sender share the machine.
 */
const API_SHARE_MAX = 0.4
const STEP_PER_S = 10
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
  let rate = WARM_PER_S
  const ask = async (name: string, of: PaymentsTestbed['payments'], span: number) => {
    const { api, generator } = stand
    const requests = of(span * rate + CONNECTIONS)
    await generator.make({ kind: 'whole', requests })
    const before = api.cpuUs()
    const load = { port: api.port, connections: CONNECTIONS, rate, seconds: span }
    const sent = await generator.send(load)
    const cpuUs = (api.cpuUs() - before) / Math.max(1, sent.all)
    return { cpuUs, latency: sent.latency, flaws: flawsOf(name, sent) } satisfies Sample
  }
  const sides = {
    payments: () => ask('payments', stand.payments, seconds),
    writes: () => ask('writes', stand.writes, seconds),
  }
  await ask('payments', stand.payments, warmSeconds)
  await ask('writes', stand.writes, warmSeconds)
  const { cpuUs } = await ask('payments', stand.payments, seconds)
  rate = carriedRate(cpuUs)
  options.log('Authorizing ' + rate + ' payments a second, without a chain.')
  const rounds = await inTurns(sides, pairsOf(options))
  const latencies = rounds.map(({ payments }) => payments.latency)
  const { p50, p99, count } = percentilesOf(latencies)
  const at = rate + '/s (goal ' + PAYMENTS_PER_S + '/s)'
  const cpu = compare(rounds, ['payments', 'writes'], ({ cpuUs }) => cpuUs)
  return {
    lines: [
      'authorize at ' + at + ' without a chain, ms: p50 ' + p50 + ', p99 ' + p99,
      'processor time of the api, µs: a payment ' + cpu.ours + ', a keyed write ' + cpu.theirs,
    ],
    figures: { payments: count, rate_per_s: rate, authorize_ms: { p50, p99 }, api_cpu_us: cpu },
    targets: [
      {
        sentence: PAYMENTS_PER_S + ' payments a second : those that the machine carries',
        ratio: rounded(PAYMENTS_PER_S / rate),
        atMost: 1,
      },
      {
        sentence: 'p99 of an authorization at ' + rate + '/s, no chain : ' + P99_MS_MAX + ' ms',
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
    curves: [curveOf(latencies, { chart: 'Payments at a steady rate', name: 'authorize' })],
    flaws: [
      ...new Set(rounds.flatMap(({ payments, writes }) => [...payments.flaws, ...writes.flaws])),
    ],
  }
}

/** Payments a second at which the api uses its part of a processor, at most those of the goal. */
function carriedRate(cpuUs: number): number {
  const steps = Math.floor((API_SHARE_MAX * 1e6) / Math.max(1, cpuUs) / STEP_PER_S)
  return Math.min(PAYMENTS_PER_S, Math.max(1, steps) * STEP_PER_S)
}
