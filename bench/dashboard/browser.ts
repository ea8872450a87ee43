// The pages in Chromium: paint and layout shift of a first visit over 4G, and a live page while the
// feed runs: time of the main thread, memory, and the time until a press is painted.
import type { Browser, CDPSession, Page } from 'playwright-core'
import { sleep } from '../../shared/clock.ts'
import { launchBrowser } from '../../test/harness/chromium.ts'
import type { Reader } from './testbed.ts'

/** Chosen: the 4G of Lighthouse, in bytes a second and milliseconds. */
const FOUR_G = { downloadThroughput: 9e6 / 8, uploadThroughput: 1.5e6 / 8, latency: 85 }
const VISITS = 5
const PRESSES = 6
/** Events of the browser are timed in steps of 8 ms; shorter ones are left out. */
const EVENT_MS_MIN = 16

export interface BrowserMeasure {
  /** Median of first visits of the overview over 4G. */
  lcpMs: number
  /** Largest sum of layout shifts of a page. */
  layoutShift: number
  /** Longest time from a press to its paint, while the feed runs; 0 under 16 ms. */
  inpMs: number
  /** Share of the time that the main thread worked, while the feed runs. */
  mainThread: number
  /** Used heap after the feed by that before it, each after a collection. */
  heapRatio: number
}

const OBSERVE = `
  window.seen = { lcp: 0, shift: 0, event: 0 }
  const watch = (type, take, more) =>
    new PerformanceObserver((list) => list.getEntries().forEach(take))
      .observe({ type, buffered: true, ...more })
  watch('largest-contentful-paint', (one) => { window.seen.lcp = one.startTime })
  watch('layout-shift', (one) => { if (!one.hadRecentInput) window.seen.shift += one.value })
  watch('event', (one) => {
    if (one.interactionId > 0) window.seen.event = Math.max(window.seen.event, one.duration)
  }, { durationThreshold: ${EVENT_MS_MIN} })`

interface Seen {
  lcp: number
  shift: number
  event: number
}

async function openPage(
  browser: Browser,
  { origin, cookie }: Reader,
): Promise<{ page: Page; session: CDPSession }> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 } })
  const [name = '', value = ''] = cookie.split('=')
  await context.addCookies([{ name, value, url: origin }])
  await context.addInitScript(OBSERVE)
  const page = await context.newPage()
  const session = await context.newCDPSession(page)
  await session.send('Performance.enable')
  return { page, session }
}

const seenOn = (page: Page): Promise<Seen> => page.evaluate<Seen>('window.seen')

/** The largest paint of each first visit, ascending, and the largest shift. */
async function firstVisits(
  browser: Browser,
  reader: Reader,
): Promise<{ lcpsMs: number[]; shift: number }> {
  const lcpsMs: number[] = []
  let shift = 0
  for (let visit = 0; visit < VISITS; visit++) {
    const { page, session } = await openPage(browser, reader)
    await session.send('Network.enable')
    await session.send('Network.emulateNetworkConditions', { offline: false, ...FOUR_G })
    await page.goto(reader.origin + reader.root + '/overview', { waitUntil: 'load' })
    await sleep(500)
    const seen = await seenOn(page)
    lcpsMs.push(seen.lcp)
    shift = Math.max(shift, seen.shift)
    await page.context().close()
  }
  return { lcpsMs: lcpsMs.toSorted((one, other) => one - other), shift }
}

/** Seconds of work of the main thread, and bytes of the used heap after a collection. */
async function costOf(session: CDPSession): Promise<{ workS: number; heapBytes: number }> {
  await session.send('HeapProfiler.collectGarbage')
  const { metrics } = await session.send('Performance.getMetrics')
  const value = (of: string): number => metrics.find(({ name }) => name === of)?.value ?? 0
  return { workS: value('TaskDuration'), heapBytes: value('JSHeapUsedSize') }
}

/** Measures the pages; `feed` makes the transactions that the live page shows meanwhile. */
export async function measureBrowser(
  reader: Reader,
  feed: () => Promise<unknown>,
): Promise<BrowserMeasure> {
  const browser = await launchBrowser()
  try {
    const { lcpsMs, shift } = await firstVisits(browser, reader)
    const { page, session } = await openPage(browser, reader)
    await page.goto(reader.origin + reader.root + '/live')
    await page.waitForSelector('#live[data-feed=open]')
    const [before, from] = [await costOf(session), performance.now()]
    const feeding = feed()
    for (let press = 0; press < PRESSES; press++) {
      await sleep(500)
      await page.locator('#live-pause').press('Enter')
      await page.locator('#live-filter').selectOption(press % 2 === 0 ? 'declined' : 'all')
    }
    await feeding
    const passedS = (performance.now() - from) / 1000
    const after = await costOf(session)
    const seen = await seenOn(page)
    return {
      lcpMs: lcpsMs[Math.floor(VISITS / 2)] ?? 0,
      layoutShift: Math.max(shift, seen.shift),
      inpMs: seen.event,
      mainThread: (after.workS - before.workS) / passedS,
      heapRatio: after.heapBytes / before.heapBytes,
    }
  } finally {
    await browser.close()
  }
}
