// Lists: filters in the address, cursors, the moment, a file, and no totals. An error says its
// code, its cure and the request; parts that load late show a skeleton.
import { test } from 'tap'
import { openBrowser } from '../../harness/browser.ts'
import { openSignedIn, startDashboard } from '../../harness/dashboard.ts'
import { seedTransaction, seedTransactions } from '../../harness/drained.ts'
import { SEEDED_AT_MS } from '../../harness/tenant.ts'
import { visit } from '../../harness/visit.ts'

const APPROVED = 60

test('a list keeps its filter from page to page and in its file, and counts nothing', async (t) => {
  const dashboard = await startDashboard()
  const { api, root, cookie } = dashboard
  await seedTransactions(api.sql, api.tenant, { count: APPROVED, at: SEEDED_AT_MS })
  for (const amountCents of [1301, 1303])
    await seedTransaction(api.sql, api.tenant, { amountCents, atMs: 1000 })
  const browser = await openBrowser(t)
  const look = { width: 1280, scripts: false }
  const { page, errors } = await openSignedIn(browser, dashboard, look)
  await page.goto(api.url + root + '/transactions')
  await page.getByLabel('Status').selectOption('authorized')
  await page.getByRole('button', { name: 'Filter' }).click()
  await page.waitForURL(/status=authorized/)
  const hrefs = () =>
    page.evaluate<string[]>(`[...document.querySelectorAll('a.row')].map(({ href }) => href)`)
  const pages = [await hrefs()]
  t.match(await page.locator('.pager').innerText(), /As of \d\d \w{3} \d{4}, \d\d:\d\d:\d\d UTC/)
  t.notMatch(await page.locator('main').innerText(), /\b(?:60|62|63)\b|total/i, 'no totals')
  for (let next = 1; next < 3; next++) {
    await page.getByRole('link', { name: 'Older →' }).click()
    await page.waitForURL(new RegExp('status=authorized&starting_after=' + '.*'))
    pages.push(await hrefs())
  }
  t.same(
    pages.map(({ length }) => length),
    [25, 25, APPROVED - 50],
  )
  t.equal(new Set(pages.flat()).size, APPROVED, 'each row once')
  t.equal(await page.getByRole('link', { name: 'Older →' }).count(), 0, 'the last page')
  await page.getByRole('link', { name: '← Newer' }).click()
  await page.waitForURL(/status=authorized&ending_before=/)
  t.same(await hrefs(), pages[1], 'the way back shows the same rows')
  const file = (await page.getByRole('link', { name: 'CSV' }).getAttribute('href')) ?? ''
  const text = await (await visit(api, file, { cookie })).text()
  t.equal(text.trim().split('\r\n').length, 1 + APPROVED, 'the file has the filter too')
  await page.getByRole('link', { name: 'Clear' }).click()
  await page.waitForURL(/transactions$/)
  t.same(errors, [])
})

test('a list that the API refuses says code, cure and request', async (t) => {
  const { api, root, cookie } = await startDashboard()
  const answer = await visit(api, root + '/cards?last4=four', { cookie })
  t.equal(answer.status, 200)
  const text = await answer.text()
  const [, problem = ''] = /<div class="problem "[^>]*>([\s\S]*?)<\/div>/.exec(text) ?? []
  t.match(problem, /<strong>[^<]+\.<\/strong>/)
  t.match(problem, 'Field: <code>last4</code>')
  t.match(problem, /<code class="soft">req_\w+<\/code>/)
  const [, code = ''] = /href="\/docs\/errors#(\w+)"/.exec(problem) ?? []
  t.equal(code, 'parameter_invalid')
  t.match(await (await visit(api, '/docs/errors')).text(), 'id="' + code + '"')
})

test('a part that is not there after 200 ms shows a skeleton, and no other does', async (t) => {
  const dashboard = await startDashboard()
  const { api, root, things } = dashboard
  const browser = await openBrowser(t)
  const { page, errors } = await openSignedIn(browser, dashboard, { width: 1280 })
  // No time of the browser passes for an animation: a slow page is as early as a quick one.
  const clock = await page.context().newCDPSession(page)
  await clock.send('Animation.enable')
  await clock.send('Animation.setPlaybackRate', { playbackRate: 0 })
  const drawnAt = (selector: string, ms: number) =>
    page.evaluate<boolean>(`(() => {
      const each = document.querySelector('${selector}')
      for (const late of each.getAnimations()) late.currentTime = ${ms}
      return getComputedStyle(each).backgroundImage !== 'none'
    })()`)
  const template = root + '/templates/' + things.get('pass_templates')
  await page.route('**/preview', () => {})
  await page.route('**/live/stream', () => {})
  for (const [path, selector] of [
    [template, '.panel > iframe'],
    [root + '/live', '#live-bars'],
  ] as const) {
    await page.goto(api.url + path, { waitUntil: 'domcontentloaded' })
    t.equal(await drawnAt(selector, 100), false, path + ' is still before 200 ms')
    t.equal(await drawnAt(selector, 201), true, path)
  }
  await page.unroute('**/live/stream')
  await page.goto(api.url + root + '/live')
  await page.waitForSelector('#live[data-feed=open]')
  t.equal(await drawnAt('#live-bars', 201), false, 'the feed is there')
  t.same(errors, [])
})
