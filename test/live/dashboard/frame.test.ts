// The frame around every page: the theme, the menu, and the account of another number of rows than
// a page shows.
import { test } from 'tap'
import { newId } from '../../../shared/id.ts'
import { openBrowser } from '../../harness/browser.ts'
import { openSignedIn, startDashboard } from '../../harness/dashboard.ts'

test('the theme is the system’s until a reader chooses another, on every page', async (t) => {
  const dashboard = await startDashboard()
  const { api, root } = dashboard
  const browser = await openBrowser(t)
  const look = { width: 1280, dark: true, scripts: false }
  const { page, errors } = await openSignedIn(browser, dashboard, look)
  const ground = () => page.evaluate<string>('getComputedStyle(document.body).backgroundColor')
  const light = 'rgb(244, 245, 247)'
  const dark = 'rgb(14, 16, 20)'
  await page.goto(api.url + root + '/cards')
  t.equal(await ground(), dark)
  for (const [theme, color] of [
    ['light', light],
    ['system', dark],
    ['dark', dark],
  ] as const) {
    await page.locator('.you summary').click()
    await Promise.all([
      page.waitForEvent('load'),
      page.getByRole('button', { name: theme, exact: true }).click(),
    ])
    t.equal(page.url(), api.url + root + '/cards', 'the reader stays on the page')
    t.equal(await ground(), color, theme)
    await page.goto(api.url + root + '/keys')
    t.equal(await ground(), color, theme + ' on another page')
    await page.goto(api.url + root + '/cards')
  }
  await page.emulateMedia({ colorScheme: 'light' })
  t.equal(await ground(), dark, 'a chosen theme outlives the system’s')
  t.same(errors, [])
})

test('a figure of the overview counts more endpoints than a list shows', async (t) => {
  const dashboard = await startDashboard()
  const { api, root } = dashboard
  const { sql, tenant, clock } = api
  for (let count = 1; count < 40; count++)
    await sql`
      insert into webhook_endpoints (id, tenant_id, environment, url, status, created_at)
      values (${newId('we', clock.nowMs)}, ${tenant.tenantId}, 'sandbox',
        ${'https://tenant.example/' + count}, 'enabled', ${clock.nowMs})`
  const browser = await openBrowser(t)
  const { page } = await openSignedIn(browser, dashboard, { width: 1280 })
  await page.goto(api.url + root + '/overview')
  const figure = page.locator('.figure', { hasText: 'Endpoints enabled' })
  t.equal(await figure.locator('strong').innerText(), '40')
})
