// Measures claims, scans and rounds of fan-out while the backlog grows. Their cost may grow by a
// level of an index and no more. PostgreSQL itself counts the pages that each reads or changes, so
// other work on the machine does not matter.

import { openPool, type Sql } from '../api/database/pool.ts'
import { addressRound } from '../api/webhooks/delivery/address.ts'
import { claimDeliveries, findDueEndpoints } from '../api/webhooks/delivery/claim.ts'
import { findWaitingTenants } from '../api/webhooks/delivery/tenant-quota.ts'
import { addDeliveries, addEvents, type Endpoint, openTestbed } from './delivery-stand.ts'
import { column, rounded } from './figures.ts'
import type { BenchOptions, Findings } from './measured.ts'

const ENDPOINTS = 200
/** The share of each endpoint in one claim. */
const SHARE = { quota: 2, bulk: 2, retries: [1, 1] } as const
const SHARES = 16
const RUNS = 40
/** Rounds of fan-out, a hundred events each: the smallest backlog holds that many. */
const FAN_OUTS = 9
const SIZES = { full: [1000, 10_000, 100_000, 1_000_000], quick: [1000, 100_000] }
/**
 * Largest ratio between the smallest and the largest backlog; a larger index is a level or two
 * deeper.
 */
const RATIO_MAX = 1.5
const SCHEDULE = { delaysMs: [0, 1000, 1000, 1000, 1000], random: () => 0 }

interface Costs {
  [work: string]: number
}

export async function measureCost(options: BenchOptions): Promise<Findings> {
  options.log('Measuring the cost of a claim behind a backlog.')
  const sizes = options.quick ? SIZES.quick : SIZES.full
  const stand = await openTestbed()
  try {
    const endpoints = await stand.addTenants(ENDPOINTS, 1, '/load/ok')
    const sql = openPool(stand.databaseUrl, { max: 1, applicationName: 'bench', byIndex: true })
    const measured: [number, Costs][] = []
    for (const size of sizes) {
      await stand.sql`truncate event_outbox, open_deliveries, fan_out_pace`
      // Half of it waits for one endpoint.
      const [first] = endpoints
      for (const some of [endpoints, first === undefined ? [] : [first]]) {
        await addDeliveries(stand.sql, { endpoints: some, count: size / 2 })
      }
      await addEvents(stand.sql, { endpoints: endpoints.slice(0, 1), count: size })
      await stand.sql`vacuum analyze event_outbox, open_deliveries, events`.simple()
      measured.push([size, await costs(sql, endpoints)])
    }
    await sql.end()
    return findings(measured)
  } finally {
    await stand.close()
  }
}

async function costs(sql: Sql, endpoints: readonly Endpoint[]): Promise<Costs> {
  const now = Date.now()
  const claim = async (run: number): Promise<void> => {
    const shares = Array.from({ length: SHARES }, (_, at) => ({
      ...SHARE,
      ...(endpoints[(run * SHARES + at) % endpoints.length] as Endpoint),
    }))
    await claimDeliveries(sql, { owner: 'bench', shares, now })
  }
  const free = async (): Promise<void> => {
    await sql`
      update open_deliveries set attempts = 0, lease_token = null, lease_owner = null, lease_until = 0
      where lease_owner = 'bench'`
  }
  const fanOut = async (run: number): Promise<void> => {
    const { tenants } = await findWaitingTenants(sql, { after: null, except: [] })
    const round = {
      tenants,
      eventsMax: 100,
      schedule: SCHEDULE,
      owner: 'bench',
      admit: () => false,
    }
    // Two seconds later each time, so the pace does not limit the run.
    const at = now + run * 2000
    const pacing = { nowMs: () => at, allowanceMs: () => 0 }
    await addressRound(sql, { ...round, now: at, pacing })
  }
  const scan = () => findDueEndpoints(sql, null, now)
  return {
    ...(await costOf(sql, 'claim', { runs: RUNS, work: claim, after: free })),
    ...(await costOf(sql, 'scan', { runs: RUNS, work: scan })),
    ...(await costOf(sql, 'fan-out', { runs: FAN_OUTS, work: fanOut })),
  }
}

interface Work {
  runs: number
  work(run: number): Promise<unknown>
  after?(): Promise<unknown>
}

/**
 * Costs of one run. The time is the lower quartile of the runs: other work on the machine disturbs
 * it less than the median.
 */
async function costOf(sql: Sql, name: string, { runs, work, after }: Work): Promise<Costs> {
  const taken: number[] = []
  let pages = 0
  for (let run = 0; run < runs; run++) {
    const before = await pagesSoFar(sql)
    const startedAt = performance.now()
    await work(run)
    taken.push(performance.now() - startedAt)
    pages += (await pagesSoFar(sql)) - before
    await after?.()
  }
  return {
    [name + ' ms']: rounded(taken.toSorted((a, b) => a - b)[Math.floor(runs / 4)] ?? 0),
    [name + ' pages']: Math.round(pages / runs),
  }
}

/** Pages of all tables and their indexes, found in the cache or not. */
async function pagesSoFar(sql: Sql): Promise<number> {
  await sql`select pg_stat_force_next_flush()`
  const [row] = await sql<[{ pages: number }]>`
    select sum(heap_blks_read + heap_blks_hit + coalesce(idx_blks_read + idx_blks_hit, 0))::bigint as pages
    from pg_statio_user_tables`
  return row.pages
}

function findings(measured: readonly [number, Costs][]): Findings {
  const [least, most] = [measured[0]?.[1] ?? {}, measured.at(-1)?.[1] ?? {}]
  const works = Object.keys(least)
  return {
    lines: [
      '',
      ['waiting', ...works].map(column).join(''),
      ...measured.map(([size, costs]) =>
        [String(size), ...works.map((work) => costs[work] ?? 0)].map(column).join(''),
      ),
      '',
    ],
    figures: Object.fromEntries(measured),
    targets: works.map((work) => ({
      sentence: work + ' with the most waiting : with the least',
      ratio: rounded((most[work] ?? 0) / (least[work] ?? 0)),
      atMost: RATIO_MAX,
    })),
    flaws: [],
  }
}
