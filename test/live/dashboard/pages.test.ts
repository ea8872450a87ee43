// Every page of the dashboard in Chromium: both widths, light and dark, with and without scripts.
import { test } from 'tap'
import { PAGES } from '../../../api/dashboard/pages/table.ts'
import { openBrowser, picture } from '../../harness/browser.ts'
import { openSignedIn, startDashboard, type TestDashboard } from '../../harness/dashboard.ts'

/** Resource of a page by the segment before its id. */
const SEGMENTS: { readonly [segment: string]: string } = {
  transactions: 'card_transactions',
  cards: 'cards',
  controls: 'spending_controls',
  backtests: 'backtests',
  certifications: 'certifications',
  keys: 'api_keys',
  webhooks: 'webhook_endpoints',
  deliveries: 'webhook_deliveries',
  events: 'events',
  cardholders: 'cardholders',
  alerts: 'sanctions_alerts',
  disputes: 'disputes',
  programs: 'programs',
  passes: 'passes',
  templates: 'pass_templates',
  payments: 'payments',
  settlements: 'settlement_batches',
  connections: 'oauth_grants',
}

function addressOf({ root, things }: TestDashboard, path: string): string {
  const segments = path.split('/')
  const named = segments.map((part, at) => {
    if (!part.startsWith(':')) return part
    const id = things.get(SEGMENTS[segments[at - 1] ?? ''] ?? '')
    if (id === undefined) throw new Error('no resource for ' + path)
    return id
  })
  return root + named.join('/')
}

test('each page at 390 and 1280, light and dark, with and without scripts', async (t) => {
  const dashboard = await startDashboard()
  const browser = await openBrowser(t)
  for (const width of [390, 1280]) {
    for (const dark of [false, true]) {
      const look = { width, dark, scripts: !dark }
      const { page, errors } = await openSignedIn(browser, dashboard, look)
      for (const { path } of PAGES) {
        const name = path.slice(1).replaceAll(/[/:]+/g, '-') + '-' + width + (dark ? '-dark' : '')
        const answer = await page.goto(dashboard.api.url + addressOf(dashboard, path))
        t.equal(answer?.status(), 200, name)
        t.equal(await page.locator('h1').count(), 1, name + ' has one heading')
        const isWide = await page
          .locator('html')
          .evaluate((root) => root.scrollWidth > root.clientWidth)
        t.notOk(isWide, name + ' fits')
        // A busy machine may be late; any other problem is a defect.
        const problems = await page.locator('.problem').allTextContents()
        t.same(
          problems.filter((text) => !text.includes('took longer')),
          [],
          name,
        )
        await picture(page, name)
      }
      t.same(errors, [], String(width))
    }
  }
})
