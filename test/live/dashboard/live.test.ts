// The live page in Chromium, over the stream of the real API.
import { test } from 'tap'
import { newId } from '../../../shared/id.ts'
import { openBrowser, picture } from '../../harness/browser.ts'
import { openSignedIn, startDashboard, type TestDashboard } from '../../harness/dashboard.ts'
import { decidedEntry, drain, seedTransaction } from '../../harness/drained.ts'
import { axeProblems } from '../../harness/judge.ts'
import { overflows } from '../../harness/looks.ts'
import { openStream, total } from '../../harness/stream.ts'
import { SEEDED_AT_MS } from '../../harness/tenant.ts'
import { until } from '../../harness/until.ts'

function seed({ api }: TestDashboard, amountCents: number) {
  return seedTransaction(api.sql, api.tenant, { amountCents })
}

test('rows come as PostgreSQL gets them, are paused, filtered and counted', async (t) => {
  const dashboard = await startDashboard()
  const browser = await openBrowser(t)
  const { page, errors } = await openSignedIn(browser, dashboard, { width: 1280 })
  await page.goto(dashboard.api.url + dashboard.root + '/live')
  const rows = page.locator('#live-rows tr')
  await page.waitForSelector('#live[data-feed=open]')
  const empty = page.locator('.live-empty')
  t.match(await empty.innerText(), 'Each authorization of a card becomes a row here')
  const away = await empty.locator('a[target=_blank]').getAttribute('href')
  t.equal(away, dashboard.root + '/sandbox', 'it says how to fill the feed')
  await picture(page, 'live-empty')
  t.equal(await overflows(page), false)
  t.same(await axeProblems(page), [])
  const made = await seed(dashboard, 1200)
  await until(async () => (await rows.count()) > 0)
  t.equal(await empty.isVisible(), false)
  t.match(await rows.first().innerText(), /12\.00 USD/)
  const link = await rows.first().locator('a').getAttribute('href')
  t.equal(link, dashboard.root + '/transactions/' + made.id)
  await seed(dashboard, 1301)
  await until(async () => (await rows.count()) === 2)
  await page.selectOption('#live-filter', 'declined')
  await until(async () => (await rows.count()) === 1)
  t.match(await rows.first().innerText(), /13\.01 USD[\s\S]*declined[\s\S]*limit daily/)
  t.match(await page.locator('#live-skipped').innerText(), 'Approved ones are not shown.')
  await page.selectOption('#live-filter', 'all')
  await page.keyboard.press('Escape')
  await page.click('#live-pause')
  await seed(dashboard, 1400)
  await until(async () => /1 came since/.test(await page.locator('#live-skipped').innerText()))
  t.equal(await rows.count(), 2, 'paused')
  await page.click('#live-pause')
  await seed(dashboard, 1500)
  await until(async () => (await rows.count()) === 3)
  await until(async () => (await page.locator('#live-bars rect').count()) > 0)
  await picture(page, 'live-moving')
  t.same(errors, [])
})

/** One batch of the drain. */
function seedMany({ api }: TestDashboard, count: number) {
  const entries = Array.from({ length: count }, (_, index) => {
    const id = newId('txn', SEEDED_AT_MS)
    return decidedEntry(api.tenant, { id, receivedAtMs: SEEDED_AT_MS, amountCents: 1000 + index })
  })
  return drain(api.sql, ...entries)
}

const WATCH_SHIFTS = `
  window.shifts = []
  new PerformanceObserver((list) => {
    for (const { value, sources } of list.getEntries())
      window.shifts.push(value + ' of ' + sources.map(({ node }) => node?.id || node?.nodeName))
  }).observe({ type: 'layout-shift', buffered: true })`

for (const width of [1280, 390])
  test('no part of the page moves while transactions come, at ' + width + ' px', async (t) => {
    const dashboard = await startDashboard()
    const browser = await openBrowser(t)
    for (let count = 0; count < 30; count++) await seed(dashboard, 1000 + count)
    const { page, errors } = await openSignedIn(browser, dashboard, { width })
    await page.addInitScript(WATCH_SHIFTS)
    await page.goto(dashboard.api.url + dashboard.root + '/live')
    await page.waitForSelector('#live[data-feed=open]')
    // A page that is drawn while its header still arrives is another matter, and the bench's.
    await page.evaluate('void (window.shifts = [])')
    const skipped = page.locator('#live-skipped')
    for (let batch = 1; batch <= 5; batch++) {
      await seedMany(dashboard, 100 + batch)
      const least = batch * 80
      await until(async () => Number.parseInt(await skipped.innerText(), 10) >= least)
    }
    // Two beats of the page's own second are in it.
    const bars = () => page.locator('#live-bars').innerHTML()
    for (let beat = 0; beat < 2; beat++) {
      const before = await bars()
      await until(async () => (await bars()) !== before)
    }
    t.match(await page.locator('#live-rows').innerText(), /\+ \d+ more in this moment/)
    t.same(await page.evaluate('window.shifts'), [])
    t.same(errors, [])
    await picture(page, 'live-full-' + width)
  })

test('a row that the reader is on holds still, and the others are counted', async (t) => {
  const dashboard = await startDashboard()
  const browser = await openBrowser(t)
  const { page, errors } = await openSignedIn(browser, dashboard, { width: 1280 })
  await page.goto(dashboard.api.url + dashboard.root + '/live')
  await page.waitForSelector('#live[data-feed=open]')
  const made = await seed(dashboard, 1200)
  const row = page.locator('#live-rows a.row').first()
  await row.focus()
  await seedMany(dashboard, 50)
  await until(async () => /30 were counted/.test(await page.locator('#live-skipped').innerText()))
  t.equal(await row.getAttribute('href'), dashboard.root + '/transactions/' + made.id)
  await page.locator('#live-pause').focus()
  await until(async () => (await page.locator('#live-rows tr').count()) === 22)
  await page.keyboard.press('u')
  t.equal(await page.locator('html[data-local]').count(), 1)
  await seed(dashboard, 123_400)
  await until(async () => (await page.locator('#live-rows tr').count()) === 23)
  t.match(await page.locator('#live-rows tr').first().innerText(), '1,234.00 USD')
  t.same(errors, [], 'lines without a moment stay empty')
})

test('a feed that gets no answer is opened again', async (t) => {
  const dashboard = await startDashboard()
  const browser = await openBrowser(t)
  const { page } = await openSignedIn(browser, dashboard, { width: 1280 })
  let asked = 0
  await page.route('**/live/stream', (route) => {
    asked += 1
    return asked === 1 ? route.fulfill({ status: 503 }) : route.continue()
  })
  await page.goto(dashboard.api.url + dashboard.root + '/live')
  await until(async () => /no answer/.test(await page.locator('#live-state').innerText()))
  await page.waitForSelector('#live[data-feed=open]')
  await seed(dashboard, 1200)
  await until(async () => (await page.locator('#live-rows tr').count()) === 1)
  t.equal(asked, 2)
})

test('the tabs of a browser share one stream, which passes on without loss', async (t) => {
  const dashboard = await startDashboard()
  const browser = await openBrowser(t)
  const { page: first, errors } = await openSignedIn(browser, dashboard, { width: 1280 })
  const address = dashboard.api.url + dashboard.root + '/live'
  let streams = 0
  first.context().on('request', (request) => {
    if (request.url().endsWith('/live/stream')) streams += 1
  })
  await first.goto(address)
  await first.waitForSelector('#live[data-feed=open]')
  t.equal(streams, 1)
  const others = await Promise.all(Array.from({ length: 7 }, () => first.context().newPage()))
  for (const page of others) await page.goto(address)
  await seed(dashboard, 1200)
  for (const page of [first, ...others])
    await until(async () => (await page.locator('#live-rows tr').count()) === 1)
  t.equal(streams, 1)
  await first.close()
  await until(() => streams === 2)
  await seed(dashboard, 1300)
  for (const page of others)
    await until(async () => (await page.locator('#live-rows tr').count()) === 2)
  t.same(errors, [])
})

test('eight tabs of one session count every transaction', async (t) => {
  const dashboard = await startDashboard()
  const { api, cookie, root } = dashboard
  const tabs = await Promise.all(
    Array.from({ length: 8 }, () =>
      openStream(api.url + root + '/live/stream', '', { headers: { cookie } }),
    ),
  )
  t.same(
    tabs.map(({ status }) => status),
    Array(8).fill(200),
  )
  for (let amount = 1200; amount < 1212; amount += 2) await seed(dashboard, amount)
  await until(() => tabs.every((tab) => total(tab) >= 6))
  t.same(tabs.map(total), Array(8).fill(6))
  for (const tab of tabs) tab.close()
})

test('readers of screens hear a summary every ten seconds, and no row', async (t) => {
  const dashboard = await startDashboard()
  const browser = await openBrowser(t)
  const { page, errors } = await openSignedIn(browser, dashboard, { width: 1280 })
  await page.clock.install()
  await page.goto(dashboard.api.url + dashboard.root + '/live')
  await page.waitForSelector('#live[data-feed=open]')
  t.equal(await page.locator('#live-rows').getAttribute('aria-live'), 'off')
  const heard = page.locator('[aria-live=polite]')
  t.equal(await heard.count(), 1)
  await seed(dashboard, 1200)
  await until(async () => {
    await page.clock.runFor(100)
    return (await page.locator('#live-rows tr').count()) > 0
  })
  t.equal(await heard.innerText(), '', 'a row alone is not said')
  await page.clock.runFor(10_000)
  t.match(await heard.textContent(), /\/s · approved/)
  t.same(errors, [])
})

test('17: a stream of the page ends with the session', async (t) => {
  const dashboard = await startDashboard()
  const { api, cookie, root } = dashboard
  const stream = await openStream(api.url + root + '/live/stream', '', { headers: { cookie } })
  t.equal(stream.status, 200)
  await seed(dashboard, 1200)
  await until(() => stream.told.some(({ event }) => event === 'transactions'))
  await api.sql`delete from sessions`
  await until(() => stream.ended)
  t.match(stream.told.at(-1), { event: 'end', data: { reason: 'not_allowed' } })
  const foreign = '/d/' + api.other.tenantId + '/sandbox/live/stream'
  const refused = await fetch(api.url + foreign, { headers: { cookie }, redirect: 'manual' })
  t.equal(refused.status, 303, 'the session is over')
})

test('without scripts the page shows the latest 25', async (t) => {
  const dashboard = await startDashboard()
  const browser = await openBrowser(t)
  for (let count = 0; count < 26; count++) await seed(dashboard, 1000 + 2 * count)
  const look = { width: 390, scripts: false }
  const { page, errors } = await openSignedIn(browser, dashboard, look)
  await page.goto(dashboard.api.url + dashboard.root + '/live')
  t.equal(await page.locator('#live-latest tbody tr').count(), 25)
  t.equal(await page.locator('#live').isVisible(), false, 'an empty feed is no part of it')
  t.equal(await page.locator('#live-pause').isVisible(), false)
  t.match(await page.locator('noscript').innerText(), /with scripts only/)
  t.same(errors, [])
})
