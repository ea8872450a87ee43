// Many periods end at one moment: how long their closing takes, and what other tenants notice.
import { meterJob } from '../../api/billing/metering/index.ts'
import { rounded } from '../figures.ts'
import { openLatency, percentilesOf } from '../latency.ts'
import type { BenchOptions, Findings } from '../measured.ts'
import { type BillingTestbed, closeAll, outcomeOf, runAll, subscribeTenants } from './testbed.ts'

const PERIODS = { full: 10_000, quick: 500 }
/** Seconds for ten thousand. */
const SECONDS_MAX = 180
/** Counted before: the count has a figure of its own. */
const EVENTS_EACH = 10
const SLOWER_MAX = 2
const CALLS_ALONE = { full: 3000, quick: 500 }

export async function measureMidnight(
  at: BillingTestbed,
  options: BenchOptions,
): Promise<Findings> {
  const size = options.quick ? 'quick' : 'full'
  const periods = PERIODS[size]
  const most = (SECONDS_MAX * periods) / PERIODS.full
  const ids = await subscribeTenants(at, { tenants: periods, eventsEach: EVENTS_EACH })
  await runAll(at, meterJob)
  let calls = 0
  const alone = await listed(at, () => ++calls > CALLS_ALONE[size])
  options.log('Closing ' + periods + ' periods that ended at one moment.')
  const startedAt = performance.now()
  let isOver = false
  const closing = closeAll(at).finally(() => {
    isOver = true
  })
  const beside = await listed(at, () => isOver)
  await closing
  const seconds = (performance.now() - startedAt) / 1000
  const { closed } = await outcomeOf(at, ids)
  return {
    lines: [
      'periods at one midnight: ' +
        periods +
        ' closed in ' +
        rounded(seconds) +
        ' s; a list of ' +
        'another tenant, p99 ms: alone ' +
        alone.p99 +
        ', beside ' +
        beside.p99,
    ],
    figures: { periods, seconds: rounded(seconds), alone_ms: alone.p99, beside_ms: beside.p99 },
    targets: [
      {
        sentence: 'seconds to close ' + periods + ' periods : ' + most,
        ratio: rounded(seconds / most),
        atMost: 1,
      },
      {
        sentence: 'p99 of others’ calls while periods close : alone',
        ratio: rounded(beside.p99 / alone.p99),
        atMost: SLOWER_MAX,
      },
    ],
    flaws: closed === periods ? [] : [closed + ' of ' + periods + ' periods were closed'],
  }
}

/** Lists cards of another tenant, one call after the other; returns percentiles in ms. */
async function listed(
  { port, tenant }: BillingTestbed,
  isOver: () => boolean,
): Promise<{ p99: number }> {
  const latency = openLatency()
  const headers = { authorization: 'Bearer ' + tenant.keys.read }
  while (!isOver()) {
    const startedAt = performance.now()
    const answer = await fetch('http://127.0.0.1:' + port + '/v1/cards?limit=25', { headers })
    await answer.arrayBuffer()
    if (answer.status !== 200) throw new Error('a list was ' + answer.status)
    latency.record((performance.now() - startedAt) * 1000)
  }
  return percentilesOf([latency.encoded()])
}
