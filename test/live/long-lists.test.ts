// Pages and lists read as little of a long list as of a short one: none scans a table that grows,
// and each reads rows by the hundred, however many there are. By hand, with a million rows of each
// kind, the times of all addresses and pictures of the lists:
// `SVC_TEST_ROWS=1000000 SVC_TEST_PICTURES=/tmp/long TAP_TIMEOUT=3600 npx tap` and this file.
import { type Test, test } from 'tap'
import type { PageDefinition } from '../../api/dashboard/page.ts'
import { PAGES } from '../../api/dashboard/pages/table.ts'
import { TRANSACTION_SPANS } from '../../api/issuing/transactions/index.ts'
import { runOnce } from '../../api/jobs/job.ts'
import { spansJob } from '../../api/jobs/mark-spans.ts'
import { AUDIT_SPANS } from '../../api/platform/audit/index.ts'
import { EVENT_SPANS } from '../../api/webhooks/events/index.ts'
import { rounded } from '../../bench/figures.ts'
import { systemClock } from '../../shared/clock.ts'
import { newId } from '../../shared/id.ts'
import { openBrowser, picture } from '../harness/browser.ts'
import { openSignedIn, startDashboard, type TestDashboard } from '../harness/dashboard.ts'
import { addressOf } from '../harness/dashboard-pages.ts'
import { addDelivery } from '../harness/deliveries.ts'
import { silentLog } from '../harness/engine-listener.ts'
import { listAddresses } from '../harness/list-addresses.ts'
import { lengthen, readsByTable } from '../harness/long-lists.ts'
import { overflows } from '../harness/looks.ts'
import { seedOperator } from '../harness/operator.ts'
import { SEEDED_AT_MS } from '../harness/tenant.ts'
import { visit } from '../harness/visit.ts'

const ROWS = Number(process.env['SVC_TEST_ROWS'] ?? 10_000)
/**
 * Chosen: pages show 25 rows a list, some a hundred, each with a few rows of other tables; a period
 * may lie on two spans of a thousand.
 */
const READ_MAX = 2200
/** Addresses that read more, with the reason. */
const LONGER: readonly (readonly [RegExp, string])[] = [
  [/^\/webhooks\/we_/, 'counts waiting deliveries up to 10,000'],
]
/** Connections of a test's pool. */
const CONNECTIONS = 5
/** PostgreSQL may plan a statement anew from its sixth run on a connection. */
const VISITS = ROWS > 10_000 ? 7 * CONNECTIONS : 1
const VISITED_MS_MAX = 3000
/** Pages with sums and charts, beside those of lists. */
const PICTURED: ReadonlySet<string> = new Set(['/overview', '/declines', '/stand_in', '/billing'])

/** Addresses of all pages, and of lists with filters that few rows match. */
function pageAddresses(dashboard: TestDashboard): string[] {
  const filtered = [
    '/transactions?status=declined',
    '/transactions?status=captured',
    '/transactions?status=authorized',
    '/transactions?merchant_name=Nowhere',
    '/transactions?mcc=0001',
    '/transactions?stand_in=true',
    '/transactions?created[gte]=2020-01-01',
    '/cards?status=suspended',
    '/cards?last4=0000',
    '/cardholders?email=nobody@tenant.example',
    '/cardholders?status=inactive',
    '/disputes?status=won',
    '/disputes?reason=duplicate',
    '/alerts?status=confirmed',
    '/passes?status=revoked',
    '/scans?verification_result=forged',
    '/deliveries?state=failed',
    '/events?type=card.terminated',
    '/payments?status=failed',
    '/payments?cardholder_id=ch_00000000000000000000000000',
    '/audit?action=none',
    '/audit?created[lte]=2020-01-01',
    '/search?q=Nowhere',
    '/search?q=0000',
    '/search?q=nobody@tenant.example',
  ]
  const paths = PAGES.map(({ path }) => addressOf({ ...dashboard, root: '' }, path))
  return [...paths, ...filtered]
}

async function openLong(log: (text: string) => void) {
  const dashboard = await startDashboard()
  const { api, things } = dashboard
  const { sql, tenant } = api
  for (const state of ['succeeded', 'pending'] as const)
    await addDelivery(sql, {
      ...{ id: newId('dlv', SEEDED_AT_MS), eventId: things.get('events') ?? '' },
      ...{ endpointId: tenant.endpointId, state, attempts: 1 },
    })
  await lengthen(api.databaseUrl, { tenantId: tenant.tenantId, rows: ROWS, log })
  const ports = { sql, clock: systemClock, log: silentLog, now: SEEDED_AT_MS }
  for (const spans of [EVENT_SPANS, TRANSACTION_SPANS, AUDIT_SPANS])
    while ((await runOnce(spansJob(spans), ports)) > 0) log('spans of ' + spans.table)
  return { dashboard, operatorKey: await seedOperator(sql) }
}

/** Returns the status of the answer, or the problem of a panel. */
type Ask = () => Promise<number | string>

/** Visits addresses, and tells the times of each and the rows and blocks that one visit read. */
async function openMeter(sql: TestDashboard['api']['sql']) {
  let before = await readsByTable(sql, CONNECTIONS)
  return async (ask: Ask) => {
    const times: number[] = []
    const statuses = new Set<number | string>()
    const from = performance.now()
    while (times.length < VISITS && performance.now() - from < VISITED_MS_MAX) {
      const began = performance.now()
      statuses.add(await ask())
      times.push(performance.now() - began)
    }
    const after = await readsByTable(sql, CONNECTIONS)
    const each = (sum: number): number => Math.ceil(sum / times.length)
    const reads = [...after].map(([table, { rows, blocks }]) => {
      const was = before.get(table) ?? { rows: 0, blocks: 0 }
      return { table, rows: each(rows - was.rows), blocks: each(blocks - was.blocks) }
    })
    before = after
    times.sort((one, other) => one - other)
    const at = (share: number): number => times[Math.floor(times.length * share)] ?? 0
    return { statuses: [...statuses], reads, p50: at(0.5), p95: at(0.95) }
  }
}

test('no page and no list reads a whole table', async (t) => {
  const { dashboard, operatorKey } = await openLong((text) => t.comment(text))
  const { api, cookie, things } = dashboard
  const { tenantId, keys } = api.tenant
  const asks = new Map<string, Ask>()
  for (const path of pageAddresses(dashboard))
    asks.set(path, async () => {
      const answer = await visit(api, dashboard.root + path, { cookie })
      // A page with a panel that failed or was late is quick because it gave up.
      const problem = /class="problem[^>]*><strong>([^<]*)/.exec(await answer.text())
      return problem?.[1] ?? answer.status
    })
  for (const path of listAddresses(things, tenantId, ROWS)) {
    const key = path.startsWith('/operator') ? operatorKey : keys.admin
    asks.set(path, async () => (await api.call('GET', path, { key })).status)
  }
  const measure = await openMeter(api.sql)
  for (const [name, ask] of asks) {
    // A person reads less often than this.
    await api.sql`delete from rate_buckets`
    const { statuses, reads, p50, p95 } = await measure(ask)
    t.same(statuses, [200], name)
    const isLonger = LONGER.some(([address]) => address.test(name))
    const much = isLonger ? [] : reads.filter(({ rows }) => rows > READ_MAX)
    t.same(much, [], name)
    const sum = (of: 'rows' | 'blocks'): number => reads.reduce((all, each) => all + each[of], 0)
    const figures = [rounded(p50), rounded(p95), sum('rows'), sum('blocks')]
    if (VISITS > 1) t.comment([...figures, name].join('\t'))
  }
  if (VISITS > 1) await showLists(t, dashboard)
})

/** Pictures of the lists at three widths in both themes: none is wider than its window. */
async function showLists(t: Test, dashboard: TestDashboard): Promise<void> {
  const browser = await openBrowser(t)
  const { page, errors } = await openSignedIn(browser, dashboard, { width: 1280 })
  const pages: readonly PageDefinition[] = PAGES
  for (const { path } of pages.filter(
    ({ path, rows }) => rows !== undefined || PICTURED.has(path),
  )) {
    const name = path.slice(1).replaceAll(/[/:]+/g, '-')
    await page.goto(dashboard.api.url + addressOf(dashboard, path))
    for (const width of [390, 768, 1280]) {
      await page.setViewportSize({ width, height: 900 })
      for (const colorScheme of ['light', 'dark'] as const) {
        await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
        await picture(page, 'long-' + name + '-' + width + '-' + colorScheme)
      }
      t.equal(await overflows(page), false, name + ' fits in ' + width)
    }
  }
  t.same(errors, [])
}
