// The feed behind the real line: an engine decides, an api drains its journal into PostgreSQL, and
// eight viewers look, or nobody does, in turns. Nothing that a viewer costs may reach the engine.
import { seedOwner } from '../access/testbed.ts'
import { column, rounded } from '../figures.ts'
import { startGenerator } from '../generator.ts'
import { percentilesOf } from '../latency.ts'
import { askEngine, type Sample } from '../line/sample.ts'
import { type LineTestbed, openLineTestbed } from '../line/testbed.ts'
import type { BenchOptions, Findings } from '../measured.ts'
import { compare, inTurns, pairsOf, ratioOf } from '../pairs.ts'
import { openViewers } from './feed.ts'

const CARDS = 10_000
const PER_SECOND = 2000
const CONNECTIONS = 64
const SECONDS = { full: 8, quick: 3 }
const WARM = { messages: 40_000, seconds: 30 }
const COST_MAX = 1.02
const LAG_P95_MS_MAX = 250

export async function measureLineFeed(options: BenchOptions): Promise<Findings> {
  const stand = await openLineTestbed({ cards: CARDS })
  const generator = startGenerator()
  try {
    const [tenant] = await stand.sql<{ tenantId: string }[]>`select id as "tenantId" from tenants`
    if (tenant === undefined) throw new Error('the line has a tenant')
    const { session } = await seedOwner(stand, tenant)
    const at = {
      ...{ origin: 'http://127.0.0.1:' + stand.api.port, cookie: 'svc=' + session },
      root: '/d/' + tenant.tenantId + '/sandbox',
    }
    await generator.make(stand.messages(WARM.messages))
    const load = { connections: 256, rate: null, warmSeconds: 0, repeats: false }
    await generator.send({ ...load, seconds: WARM.seconds, port: stand.port })
    await stand.drained()
    const flaws: string[] = []
    const lagsMs: number[] = []
    const seconds = options.quick ? SECONDS.quick : SECONDS.full
    const shot = { rate: PER_SECOND, connections: CONNECTIONS, seconds, warmSeconds: 0.5 }
    const closed = async (): Promise<Sample> => {
      const sample = await askEngine({ stand, generator }, shot)
      await stand.drained()
      flaws.push(...sample.flaws)
      return sample
    }
    const open = async (): Promise<Sample> => {
      const before = await newestSeq(stand)
      const viewers = await openViewers(at)
      const sample = await closed()
      flaws.push(...(await viewers.flawsAfter((await newestSeq(stand)) - before)))
      viewers.close()
      lagsMs.push(...viewers.lagsMs)
      return sample
    }
    options.log('Authorizing with the feed open and closed, in turns.')
    const rounds = await inTurns({ open, closed }, pairsOf(options))
    const cpu = compare(rounds, ['open', 'closed'], ({ cpuUs }) => cpuUs)
    const p99 = compare(rounds, ['open', 'closed'], ({ latency }) => percentilesOf([latency]).p99)
    const lags = lagsMs.toSorted((one, other) => one - other)
    const lag = rounded(lags[Math.floor(lags.length * 0.95)] ?? 0)
    const bound = { atMost: COST_MAX }
    return {
      lines: [
        '',
        ['real line, ' + PER_SECOND + '/s', 'feed open', 'closed', 'ratio'].map(column).join(''),
        ['engine CPU µs', cpu.ours, cpu.theirs, cpu.ratio].map(column).join(''),
        ['p99 ms', p99.ours, p99.theirs, p99.ratio].map(column).join(''),
        ['to a viewer', lag + ' ms p95'].map(column).join(''),
        '',
      ],
      figures: { cpu_us_open: cpu.ours, cpu_us_closed: cpu.theirs, lag_p95_ms: lag },
      targets: [
        {
          sentence: 'p95 from a decision of the real line to a viewer : ' + LAG_P95_MS_MAX + ' ms',
          ...{ ratio: rounded(lag / LAG_P95_MS_MAX), atMost: 1 },
        },
      ],
      ratios: [
        ratioOf(cpu, {
          sentence: 'processor time of an authorization with the feed open : closed',
          ...{ unit: 'µs', bound },
        }),
        ratioOf(p99, {
          sentence: 'p99 of an authorization with the feed open : closed',
          ...{ unit: 'ms', bound },
        }),
      ],
      flaws: [...new Set(flaws)],
    }
  } finally {
    await generator.stop()
    await stand.close()
  }
}

async function newestSeq({ sql }: LineTestbed): Promise<number> {
  const [row] = await sql<{ seq: number }[]>`
    select coalesce(sum(transaction_seq), 0)::bigint as seq from tenant_sequences`
  return row?.seq ?? 0
}
