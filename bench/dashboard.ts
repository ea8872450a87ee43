// The dashboard over a million card transactions: bytes of a first visit, the time of each page at
// the server, the pages in Chromium, and the live feed at 2,000 authorizations a second with eight
// viewers, also behind the real line.
import { type BrowserMeasure, measureBrowser } from './dashboard/browser.ts'
import { type FeedMeasure, measureFeed } from './dashboard/feed.ts'
import { measureLineFeed } from './dashboard/line-feed.ts'
import { openDashboard } from './dashboard/testbed.ts'
import { firstVisit, laterVisit, pathsOf, visits } from './dashboard/visits.ts'
import { column, rounded } from './figures.ts'
import {
  type BenchOptions,
  type Findings,
  type Measured,
  measureParts,
  type Target,
} from './measured.ts'

const ROWS = { full: 1_000_000, quick: 100_000 }
const VISITS = { full: 200, quick: 60 }

/**
 * Most milliseconds of the 95th percentile at the server, by page. Chosen: every list has the
 * budget of lists, and a page with pictures that of the overview.
 */
const BUDGETS_MS: { readonly [page: string]: number } = {
  ...{ list: 60, 'filtered list': 60, 'list by merchant': 60, 'unknown merchant': 60 },
  ...{ 'list of a period': 60, 'search by merchant': 60, 'search without result': 60 },
  ...{ events: 60, live: 60, overview: 100, declines: 100, 'stand-in': 100, explain: 80 },
}
/** Most kilobytes of a first visit, as they travel. */
const BUDGETS_KB: { readonly [part: string]: number } = { html: 14, css: 12, scripts: 25 }
const FIRST_VISIT_KB_MAX = 60
const LATER_VISIT_KB_MAX = 20
const FEED_P95_MS_MAX = 250
/** Chosen: the rows that a page keeps take as much again as an empty page at most. */
const HEAP_RATIO_MAX = 2
const LCP_MS_MAX = 1200
const INP_MS_MAX = 100
const MAIN_THREAD_MAX = 0.2
const SHIFT_MAX = 0.001

export const DASHBOARD: Measured = {
  name: 'dashboard',
  seconds: { full: 480, quick: 180 },
  run,
}

function run(options: BenchOptions): Promise<Findings> {
  return measureParts([
    ['pages', () => measurePages(options)],
    ['line', () => measureLineFeed(options)],
  ])
}

async function measurePages(options: BenchOptions): Promise<Findings> {
  const rows = options.quick ? ROWS.quick : ROWS.full
  const stand = await openDashboard(rows, options.log)
  try {
    const { readers, tenant, sql } = stand
    const [reader] = readers
    if (reader === undefined) throw new Error('nobody reads')
    const pages = pathsOf(stand.transactionId)
    options.log('Visiting pages.')
    const times = new Map<string, readonly number[]>()
    const flaws = [...stand.flaws]
    const count = options.quick ? VISITS.quick : VISITS.full
    for (const [name, path] of Object.entries(pages))
      times.set(name, await visits(readers, path, { count, flaws }))
    const bytes = await firstVisit(reader)
    const later = await laterVisit(reader, Object.values(pages))
    options.log('Watching the feed.')
    const at = { ...reader, seconds: options.quick ? 8 : 30 }
    const feed = await measureFeed(sql, tenant, at)
    options.log('Opening pages in Chromium.')
    const browser = await measureBrowser(reader, () => measureFeed(sql, tenant, at))
    const all = { ...feed, flaws: [...flaws, ...feed.flaws] }
    return findings({ rows, times, bytes, later, browser, feed: all })
  } finally {
    await stand.close()
  }
}

function percentile(sorted: readonly number[], share: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0
}

function findings(of: {
  rows: number
  times: ReadonlyMap<string, readonly number[]>
  bytes: { readonly [part: string]: number }
  /** Kilobytes of the heaviest later page. */
  later: number
  browser: BrowserMeasure
  feed: FeedMeasure
}): Findings {
  const { rows, times, bytes, later, browser, feed } = of
  const at = [...times].map(([name, sorted]) => ({
    name,
    p50: rounded(percentile(sorted, 0.5)),
    p95: rounded(percentile(sorted, 0.95)),
  }))
  const p95 = (name: string): number => at.find((one) => one.name === name)?.p95 ?? 0
  const all = Object.values(bytes).reduce((sum, one) => sum + one, 0)
  const lagP95 = percentile(feed.lagsMs, 0.95)
  const under = (sentence: string, value: number, most: number): Target => ({
    ...{ sentence, ratio: rounded(value / most), atMost: 1 },
  })
  return {
    lines: [
      '',
      [rows.toLocaleString('en') + ' transactions', 'p50 ms', 'p95 ms'].map(column).join(''),
      ...at.map(({ name, p50, p95: most }) => [name, p50, most].map(column).join('')),
      '',
      ['first visit', 'kB, gzip'].map(column).join(''),
      ...Object.entries({ ...bytes, 'later page': later }).map(([part, size]) =>
        [part, rounded(size)].map(column).join(''),
      ),
      '',
      ['feed, ' + feed.viewers + ' viewers', feed.perSecond + '/s', rounded(lagP95) + ' ms p95']
        .map(column)
        .join(''),
      ...browserLines(browser),
      '',
    ],
    figures: {
      pages: Object.fromEntries(at.map(({ name, ...figures }) => [name, figures])),
      first_visit_kb: bytes,
      later_visit_kb: rounded(later),
      browser: Object.fromEntries(
        Object.entries(browser).map(([name, value]) => [name, rounded(value)]),
      ),
      feed: {
        per_second: feed.perSecond,
        p50_ms: rounded(percentile(feed.lagsMs, 0.5)),
        p95_ms: rounded(lagP95),
      },
    },
    targets: [
      ...Object.entries(BUDGETS_MS).map(([name, most]) =>
        under('p95 of the ' + name + ' at the server : ' + most + ' ms', p95(name), most),
      ),
      ...Object.entries(BUDGETS_KB).map(([part, most]) =>
        under('gzipped ' + part + ' of a first visit : ' + most + ' kB', bytes[part] ?? 0, most),
      ),
      under(
        'gzipped bytes of a first visit : ' + FIRST_VISIT_KB_MAX + ' kB',
        all,
        FIRST_VISIT_KB_MAX,
      ),
      under(
        'gzipped HTML of the heaviest later page : ' + LATER_VISIT_KB_MAX + ' kB',
        later,
        LATER_VISIT_KB_MAX,
      ),
      under(
        'p95 from the decision to a viewer : ' + FEED_P95_MS_MAX + ' ms',
        lagP95,
        FEED_P95_MS_MAX,
      ),
      ...browserTargets(browser, under),
    ],
    flaws: feed.flaws,
  }
}

function browserLines(of: BrowserMeasure): string[] {
  const rows: [string, string][] = [
    ['LCP over 4G', rounded(of.lcpMs) + ' ms'],
    ['press, painted', rounded(of.inpMs) + ' ms'],
    ['layout shift', String(rounded(of.layoutShift))],
    ['main thread, feed', rounded(100 * of.mainThread) + ' %'],
    ['heap, feed', rounded(of.heapRatio) + ' times'],
  ]
  return rows.map((row) => row.map(column).join(''))
}

function browserTargets(
  of: BrowserMeasure,
  under: (sentence: string, value: number, most: number) => Target,
): Target[] {
  return [
    under('largest paint over 4G : ' + LCP_MS_MAX + ' ms', of.lcpMs, LCP_MS_MAX),
    under('press until its paint : ' + INP_MS_MAX + ' ms', of.inpMs, INP_MS_MAX),
    under('layout shift : ' + SHIFT_MAX, of.layoutShift, SHIFT_MAX),
    under('main thread while the feed runs : 20 %', of.mainThread, MAIN_THREAD_MAX),
    under('heap after the feed : ' + HEAP_RATIO_MAX + ' times', of.heapRatio, HEAP_RATIO_MAX),
  ]
}
