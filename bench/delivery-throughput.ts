// Measures the deliveries a second of one dispatcher, and the cost of each: for due deliveries, and
// for events that still have to be fanned out. There are so many tenants that no tenant's limit of
// a hundred a second applies.
import {
  addDeliveries,
  addEvents,
  type Backlog,
  type Endpoint,
  openTestbed,
  type Stand,
  untilSent,
} from './delivery-stand.ts'
import { column, median, rounded } from './figures.ts'
import type { BenchOptions, Findings } from './measured.ts'
import type { Server } from './server-process.ts'

const TENANTS = 240
const PER_SECOND_MIN = 3000
const PACE = {
  full: { runs: 5, deliveries: 60_000, warm: 20_000 },
  quick: { runs: 2, deliveries: 12_000, warm: 6_000 },
}

const KINDS = {
  'due already': addDeliveries,
  'fanned out': addEvents,
}

interface Sample {
  perSecond: number
  dispatcherUs: number
  postgresUs: number
}

export async function measureThroughput(options: BenchOptions): Promise<Findings> {
  const { runs, deliveries, warm } = options.quick ? PACE.quick : PACE.full
  options.log('Measuring the throughput of delivery.')
  const stand = await openTestbed()
  try {
    const endpoints = await stand.addTenants(TENANTS, 1, '/load/ok')
    const dispatcher = await stand.startDispatcher()
    const place = { stand, dispatcher, endpoints }
    for (const add of Object.values(KINDS)) await sample(place, add, warm)
    const samples = Object.fromEntries(Object.keys(KINDS).map((name) => [name, [] as Sample[]]))
    for (let run = 0; run < runs; run++) {
      for (const [name, add] of Object.entries(KINDS))
        samples[name]?.push(await sample(place, add, deliveries))
    }
    const sent = 2 * (warm + runs * deliveries)
    const { load } = await stand.receiver.report()
    const came = load?.count ?? 0
    return findings(samples, [
      ...(came === sent ? [] : [sent + ' deliveries were due, ' + came + ' came']),
      ...(load?.twice === 0 ? [] : [load?.twice + ' deliveries came again']),
    ])
  } finally {
    await stand.close()
  }
}

async function sample(
  { stand, dispatcher, endpoints }: Place,
  add: (sql: Stand['sql'], backlog: Backlog) => Promise<void>,
  count: number,
): Promise<Sample> {
  const { sql, postgresCpuUs } = stand
  await add(sql, { endpoints, count })
  const before = { at: performance.now(), own: dispatcher.cpuUs(), postgres: postgresCpuUs() }
  await untilSent(sql)
  return {
    perSecond: (count * 1000) / (performance.now() - before.at),
    dispatcherUs: (dispatcher.cpuUs() - before.own) / count,
    postgresUs: (postgresCpuUs() - before.postgres) / count,
  }
}

interface Place {
  stand: Stand
  dispatcher: Server
  endpoints: readonly Endpoint[]
}

function findings(samples: { [name: string]: Sample[] }, flaws: string[]): Findings {
  const figures = Object.fromEntries(
    Object.entries(samples).map(([name, of]) => [
      name,
      {
        per_second: Math.round(median(of.map(({ perSecond }) => perSecond))),
        dispatcher_cpu_us: rounded(median(of.map(({ dispatcherUs }) => dispatcherUs))),
        postgres_cpu_us: rounded(median(of.map(({ postgresUs }) => postgresUs))),
      },
    ]),
  )
  const rows = Object.entries(figures)
  return {
    lines: [
      '',
      ['', 'deliveries/s', 'dispatcher µs', 'PostgreSQL µs'].map(column).join(''),
      ...rows.map(([name, row]) => [name, ...Object.values(row)].map(column).join('')),
      '',
    ],
    figures,
    targets: rows.map(([name, { per_second }]) => ({
      sentence: PER_SECOND_MIN + ' deliveries a second : those a dispatcher made, ' + name,
      ratio: rounded(PER_SECOND_MIN / per_second),
      atMost: 1,
    })),
    flaws,
  }
}
