// The dispatcher's memory while a million deliveries wait, a tenth of the endpoints hang, and a
// recovery adds to it.
import { readFileSync } from 'node:fs'
import { addDeliveries, addEvents, openTestbed, pause } from './delivery-stand.ts'
import { column, rounded } from './figures.ts'
import type { BenchOptions, Findings } from './measured.ts'

const TENANTS = 100
const ENDPOINTS_EACH = 10
const PACE = {
  full: { waiting: 1_000_000, recovered: 100_000, seconds: 90, warmSeconds: 30 },
  quick: { waiting: 100_000, recovered: 10_000, seconds: 20, warmSeconds: 10 },
}
/** The most behind the warm-up : the most within it. */
const GROWTH_MAX = 1.2
const RSS_MB_MAX = 512

export async function measureMemory(options: BenchOptions): Promise<Findings> {
  const { waiting, recovered, seconds, warmSeconds } = options.quick ? PACE.quick : PACE.full
  options.log('Measuring the memory of a dispatcher that much waits for.')
  const stand = await openTestbed()
  try {
    const hanging = await stand.addTenants(TENANTS / 10, ENDPOINTS_EACH, '/stuck/hang')
    const quick = await stand.addTenants(TENANTS - TENANTS / 10, ENDPOINTS_EACH, '/load/ok')
    await addDeliveries(stand.sql, { endpoints: [...quick, ...hanging], count: waiting, lane: 1 })
    await addEvents(stand.sql, { endpoints: quick, count: recovered, lane: 1, recovered: true })
    await stand.sql`vacuum analyze`.simple()
    const dispatcher = await stand.startDispatcher()
    const rss: number[] = []
    for (let second = 0; second < seconds; second++) {
      await pause(1000)
      rss.push(rssMb(dispatcher.pid))
    }
    const { load } = await stand.receiver.report()
    const figures = {
      warm_mb: Math.max(...rss.slice(0, warmSeconds)),
      most_mb: Math.max(...rss.slice(warmSeconds)),
      last_mb: rss.at(-1) ?? 0,
      sent: load?.count ?? 0,
    }
    const names = ['warm MB', 'most MB', 'last MB', 'sent meanwhile']
    return {
      lines: [
        '',
        [waiting + ' waiting', ...names].map(column).join(''),
        ['', ...Object.values(figures)].map(column).join(''),
        '',
      ],
      figures,
      targets: [
        {
          sentence: 'the most memory later : the most of the first ' + warmSeconds + ' s',
          ratio: rounded(figures.most_mb / figures.warm_mb),
          atMost: GROWTH_MAX,
        },
        {
          sentence: 'the most memory : ' + RSS_MB_MAX + ' MB',
          ratio: rounded(Math.max(figures.most_mb, figures.warm_mb) / RSS_MB_MAX),
          atMost: 1,
        },
      ],
      flaws: figures.sent === 0 ? ['nothing was sent meanwhile'] : [],
    }
  } finally {
    await stand.close()
  }
}

/** All of the process, its threads included. */
function rssMb(pid: number): number {
  const status = readFileSync('/proc/' + pid + '/status', 'utf8')
  return Math.round(Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) / 1024)
}
