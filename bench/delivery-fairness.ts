// How soon an event is received, from its record on: of calm tenants while others flood or hang,
// and of a card behind its own tenant's bulk. The pace of each tenant holds throughout, so a
// backlog lasts as long as it is measured. How it was written is over before: its dirty pages are
// on the disk, and it is analyzed.
import { addEvents, type Endpoint, openTestbed, pause, type Stand } from './delivery-stand.ts'
import { column, median, rounded } from './figures.ts'
import type { BenchOptions, Findings } from './measured.ts'
import type { RequestBatch } from './receiver.ts'
import { recordFor } from './recorder.ts'
import type { Server } from './server-process.ts'

const TENANTS = { calm: 85, hanging: 10, flooding: 5 }
const BACKLOG = 20_000
const HANGING_BACKLOG = 3000
/** Events a second of all calm tenants together. */
const CALM_RATE = 85
const CARDS_RATE = 5
const P99_MS_MAX = 500
const CARD_P99_MS_MAX = 1000
/** Largest ratio to the latency of the same tenants while they are alone. */
const RATIO_MAX = 1.1
const PACE = {
  // Longer than an attempt: those that hang end and others begin while it is measured.
  full: { rounds: 5, seconds: 20, bulk: 100_000, lanesSeconds: 20 },
  quick: { rounds: 3, seconds: 5, bulk: 30_000, lanesSeconds: 6 },
}
/** Milliseconds in which the results of attempts in flight are written. */
const REST_MS = 500
/** Backlogs are at their pace before anything is measured. */
const SETTLE_MS = 1500

interface Crowd {
  calm: Endpoint[]
  hanging: Endpoint[]
  flooding: Endpoint[]
}

const CROWDS = {
  alone: async () => {},
  'behind a backlog': (stand: Stand, { flooding }: Crowd) =>
    addEvents(stand.sql, { endpoints: flooding.slice(0, 1), count: BACKLOG }),
  'hanging and flooding': async (stand: Stand, { hanging, flooding }: Crowd) => {
    await addEvents(stand.sql, { endpoints: hanging, count: hanging.length * HANGING_BACKLOG })
    await addEvents(stand.sql, { endpoints: flooding, count: flooding.length * BACKLOG })
  },
}

interface Sample extends RequestBatch {
  /** Milliseconds of processor time a second. */
  dispatcher_cpu: number
  postgres_cpu: number
}

type Seen = { [name: string]: Sample[] }

export async function measureFairness(options: BenchOptions): Promise<Findings> {
  const { rounds, seconds } = options.quick ? PACE.quick : PACE.full
  options.log('Measuring the latency of calm tenants.')
  const stand = await openTestbed()
  try {
    const crowd = {
      calm: await stand.addTenants(TENANTS.calm, 1, '/calm/ok'),
      hanging: await stand.addTenants(TENANTS.hanging, 1, '/stuck/hang'),
      flooding: await stand.addTenants(TENANTS.flooding, 1, '/flood/ok'),
    }
    const dispatcher = await stand.startDispatcher()
    const recording = {
      tenants: crowd.calm,
      rate: CALM_RATE,
      seconds,
      type: 'card.activated',
    } as const
    await recorded(stand, { ...recording, seconds: 2 })
    const crowds = Object.entries(CROWDS).filter(
      ([name]) => !options.quick || name !== 'behind a backlog',
    )
    const seen: Seen = Object.fromEntries(crowds.map(([name]) => [name, []]))
    for (let round = 0; round < rounds; round++) {
      // Back and forth, so growth or cooling during a run favours no side.
      for (const [name, gather] of round % 2 === 0 ? crowds : crowds.toReversed()) {
        await gather(stand, crowd)
        await stand.sql`vacuum analyze events, event_outbox, open_deliveries`.simple()
        await stand.sql`checkpoint`
        await pause(SETTLE_MS)
        seen[name]?.push(await sampled({ stand, dispatcher }, recording))
        await stand.sql`truncate event_outbox, open_deliveries`
        await stand.receiver.releaseStuck()
        await pause(REST_MS)
      }
    }
    return fairness(seen)
  } finally {
    await stand.close()
  }
}

async function sampled(
  { stand, dispatcher }: { stand: Stand; dispatcher: Server },
  of: Parameters<typeof recorded>[1],
): Promise<Sample> {
  const before = { at: performance.now(), own: dispatcher.cpuUs(), all: stand.postgresCpuUs() }
  const arrivals = await recorded(stand, of)
  const ms = performance.now() - before.at
  return {
    ...arrivals,
    dispatcher_cpu: (dispatcher.cpuUs() - before.own) / ms,
    postgres_cpu: (stand.postgresCpuUs() - before.all) / ms,
  }
}

/** Records events for calm tenants and returns the receiver's report once all have arrived. */
async function recorded(
  stand: Stand,
  of: { tenants: readonly Endpoint[]; rate: number; seconds: number; type: 'card.activated' },
): Promise<RequestBatch> {
  const tenantIds = of.tenants.map(({ tenantId }) => tenantId)
  await stand.receiver.forget()
  const { rate, seconds, type } = of
  const count = await recordFor({ databaseUrl: stand.databaseUrl, tenantIds, rate, seconds, type })
  const endsAt = performance.now() + 10_000
  for (;;) {
    const { calm } = await stand.receiver.report()
    if (calm !== undefined && calm.count >= count) return calm
    if (performance.now() > endsAt) throw new Error(count + ' events, arrived: ' + calm?.count)
    await pause(20)
  }
}

function fairness(seen: Seen): Findings {
  const figures = Object.fromEntries(
    Object.entries(seen).map(([name, rounds]) => [name, medians(rounds)]),
  )
  const alone = seen['alone'] ?? []
  const ratio = (name: string, field: 'p50_ms' | 'p99_ms'): number =>
    rounded(median((seen[name] ?? []).map((one, at) => one[field] / (alone[at]?.[field] ?? 0))))
  const others = Object.keys(seen).filter((name) => name !== 'alone')
  return {
    lines: [
      '',
      ['calm tenants', 'p50 ms', 'p99 ms', 'p50 : alone', 'p99 : alone'].map(column).join(''),
      ...Object.entries(figures).map(([name, { p50_ms, p99_ms }]) =>
        [name, p50_ms, p99_ms, ratio(name, 'p50_ms'), ratio(name, 'p99_ms')].map(column).join(''),
      ),
      '',
      ['processor ms a second', 'dispatcher', 'PostgreSQL'].map(column).join(''),
      ...Object.entries(figures).map(([name, { dispatcher_cpu, postgres_cpu }]) =>
        [name, dispatcher_cpu, postgres_cpu].map(column).join(''),
      ),
      '',
    ],
    figures,
    targets: others.flatMap((name) => [
      {
        sentence: 'p99 of calm tenants : ' + P99_MS_MAX + ' ms, ' + name,
        ratio: rounded((figures[name]?.p99_ms ?? 0) / P99_MS_MAX),
        atMost: 1,
      },
      {
        sentence: 'p50 of calm tenants : that while they are alone, ' + name,
        ratio: ratio(name, 'p50_ms'),
        atMost: RATIO_MAX,
      },
      {
        sentence: 'p99 of calm tenants : that while they are alone, ' + name,
        ratio: ratio(name, 'p99_ms'),
        atMost: RATIO_MAX,
      },
    ]),
    flaws: Object.entries(seen).flatMap(([name, rounds]) =>
      rounds.some(({ twice }) => twice > 0) ? ['deliveries came again, ' + name] : [],
    ),
  }
}

function medians(rounds: readonly Sample[]) {
  const of = (field: 'p50_ms' | 'p99_ms' | 'dispatcher_cpu' | 'postgres_cpu'): number =>
    rounded(median(rounds.map((one) => one[field])))
  return {
    p50_ms: of('p50_ms'),
    p99_ms: of('p99_ms'),
    dispatcher_cpu: of('dispatcher_cpu'),
    postgres_cpu: of('postgres_cpu'),
  }
}

/**
 * A tenant's cards behind tens of thousands of events of its own bulk, which goes on all the time.
 */
export async function measureLanes(options: BenchOptions): Promise<Findings> {
  const { bulk: waiting, lanesSeconds: seconds } = options.quick ? PACE.quick : PACE.full
  options.log('Measuring the latency of a card’s event behind its tenant’s bulk.')
  const stand = await openTestbed()
  try {
    const tenants = await stand.addTenants(1, 1, '/calm/ok')
    await addEvents(stand.sql, { endpoints: tenants, count: waiting, lane: 1 })
    await stand.startDispatcher()
    await pause(SETTLE_MS)
    await stand.receiver.forget()
    const count = await recordFor({
      databaseUrl: stand.databaseUrl,
      tenantIds: tenants.map(({ tenantId }) => tenantId),
      rate: CARDS_RATE,
      seconds,
      type: 'card.activated',
    })
    // Bulk arrives at the same endpoint. The written results of deliveries tell which arrivals were
    // cards.
    await pause(CARD_P99_MS_MAX)
    const rows = await stand.sql<{ ms: number; lane: number }[]>`
      select d.lane, min(a.started_at) - e.created_at as ms
      from ended_deliveries d join events e on e.id = d.event_id
      join delivery_attempts a on a.delivery_id = d.id
      where d.lane = 0 group by d.id, d.lane, e.created_at order by ms`
    const at = (part: number): number =>
      rows[Math.min(rows.length - 1, Math.floor(rows.length * part))]?.ms ?? 0
    const [bulk] = await stand.sql<{ count: number }[]>`
      select count(*) from ended_deliveries where lane = 1`
    const figures = {
      p50_ms: at(0.5),
      p99_ms: at(0.99),
      cards: rows.length,
      bulk: bulk?.count ?? 0,
    }
    return {
      lines: [
        '',
        ['a card behind bulk', 'p50 ms', 'p99 ms', 'cards', 'bulk beside'].map(column).join(''),
        ['', ...Object.values(figures)].map(column).join(''),
        '',
      ],
      figures,
      targets: [
        {
          sentence: 'p99 of a card behind its tenant’s bulk : ' + CARD_P99_MS_MAX + ' ms',
          ratio: rounded(figures.p99_ms / CARD_P99_MS_MAX),
          atMost: 1,
        },
      ],
      flaws:
        rows.length === count
          ? []
          : [count + ' cards were recorded, ' + rows.length + ' were sent'],
    }
  } finally {
    await stand.close()
  }
}
