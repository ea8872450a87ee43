// Pictures of figures, drawn on the server: approval beside the day before, delivery health, and
// ages of captures that are not settled. Each says in words and in a table what it draws.
import type { Page } from 'playwright-core'
import { test } from 'tap'
import { newId } from '../../../shared/id.ts'
import { openBrowser, picture } from '../../harness/browser.ts'
import { openSignedIn, startDashboard, type TestDashboard } from '../../harness/dashboard.ts'
import { seedTransaction } from '../../harness/drained.ts'
import { axeProblems } from '../../harness/judge.ts'
import { overflows } from '../../harness/looks.ts'

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS

/** Problems of the page at each width, in both themes. */
async function lookProblems(page: Page, name: string): Promise<string[]> {
  const problems: string[] = []
  for (const [width, dark] of [
    [1280, false],
    [768, true],
    [390, true],
  ] as const) {
    await page.setViewportSize({ width, height: 900 })
    await page.emulateMedia({ colorScheme: dark ? 'dark' : 'light', reducedMotion: 'reduce' })
    await picture(page, name + '-' + width + (dark ? '-dark' : ''))
    if (await overflows(page)) problems.push(width + ' is too wide')
    problems.push(...(await axeProblems(page)))
  }
  return problems
}

/** The page; one with a panel that a busy machine made late is loaded again. */
async function open(page: Page, address: string): Promise<string> {
  for (;;) {
    await page.goto(address)
    const text = await page.locator('main').innerText()
    if (!text.includes('took too long')) return text
  }
}

/** Transactions that were received some hours before 12:00; odd amounts are declined. */
async function seedHours(
  { api }: TestDashboard,
  hours: readonly { ago: number; approved: number; declined: number }[],
): Promise<void> {
  for (const { ago, approved, declined } of hours)
    for (let count = 0; count < approved + declined; count++)
      await seedTransaction(api.sql, api.tenant, {
        ...{ amountCents: count < approved ? 1200 : 1301, atMs: -ago * HOUR_MS + count },
      })
}

test('the approval rate of each hour stands beside that of the day before', async (t) => {
  const dashboard = await startDashboard()
  await seedHours(dashboard, [
    { ago: 1, approved: 3, declined: 1 },
    { ago: 2, approved: 1, declined: 1 },
    { ago: 5, approved: 4, declined: 0 },
    { ago: 25, approved: 1, declined: 1 },
    { ago: 26, approved: 2, declined: 0 },
  ])
  const browser = await openBrowser(t)
  const look = { width: 1280, scripts: true }
  const { page, errors } = await openSignedIn(browser, dashboard, look)
  await open(page, dashboard.api.url + dashboard.root + '/overview')
  const chart = page.getByRole('img', { name: /^Approval rate by hour/ })
  t.equal(
    await chart.getAttribute('aria-label'),
    'Approval rate by hour: above the day before in 1, below it in 1 of 2 hours',
  )
  t.match(await chart.locator('path.line').last().getAttribute('d'), /^M.*L/, 'a line of today')
  t.equal(await chart.locator('path.before').count(), 1, 'and one of the day before')
  const figure = page.locator('figure', { has: chart })
  await figure.locator('summary').click()
  const rows = await figure.locator('tbody tr').allInnerTexts()
  t.equal(rows.length, 24)
  const rowOf = (hour: string) => rows.find((row) => row.startsWith(hour))?.split(/\s*\t\s*/)
  t.same(rowOf('11:00'), ['11:00', '75 %', '50 %'])
  t.same(rowOf('10:00'), ['10:00', '50 %', '100 %'])
  t.same(rowOf('07:00'), ['07:00', '100 %', '–'], 'an hour without requests is a gap')
  t.same(await lookProblems(page, 'approval-by-hour'), [])
  t.same(errors, [])
})

test('the overview shows the period that the address names, as the statistics count it', async (t) => {
  const dashboard = await startDashboard()
  const { api, root } = dashboard
  const { read: key } = api.tenant.keys
  await seedHours(dashboard, [
    { ago: 2, approved: 3, declined: 1 },
    { ago: 30, approved: 1, declined: 2 },
    { ago: 5 * 24, approved: 6, declined: 1 },
    { ago: 9 * 24, approved: 0, declined: 2 },
    { ago: 20 * 24, approved: 9, declined: 1 },
    { ago: 40 * 24, approved: 1, declined: 0 },
  ])
  const browser = await openBrowser(t)
  const { page, errors } = await openSignedIn(browser, dashboard, { width: 1280, scripts: false })
  const counted = async (step: string, end: number, length: number) => {
    const [from, to] = [end - length, end].map((at) => new Date(at).toISOString())
    const path = '/v1/authorization_statistics?step=' + step + '&from=' + from + '&to=' + to
    return (await api.call('GET', path, { key })).body
  }
  for (const [label, step, steps] of [
    ['24 h', 'hour', 24],
    ['7 days', 'day', 7],
    ['30 days', 'day', 30],
  ] as const) {
    await open(page, api.url + root + '/overview')
    const choice = page.getByRole('navigation', { name: 'Period' })
    await choice.getByRole('link', { name: label }).click()
    t.equal(await choice.locator('[aria-current]').innerText(), label)
    const text = await open(page, page.url())
    const stepMs = step === 'hour' ? HOUR_MS : DAY_MS
    const end = Math.floor(api.clock.nowMs / stepMs) * stepMs + stepMs
    const { total, steps: rows } = await counted(step, end, steps * stepMs)
    const { total: before } = await counted(step, end - steps * stepMs, steps * stepMs)
    const share = Math.round(total.approval_share * 1000) / 10
    t.match(text, 'Approval, ' + label + '\n' + share + ' %')
    t.match(text, 'Requests\n' + total.requests + '\n' + before.requests + ' before')
    t.match(text, 'Declined\n' + total.declined + '\n' + before.declined + ' before')
    t.match(text, 'Declines, ' + label + '\n')
    t.match(text, 'Answers of your endpoint, ' + label)
    t.match(text, 'Failed deliveries, ' + label)
    t.equal(rows.length, steps)
    const chart = page.getByRole('img', { name: new RegExp('^Approval rate by ' + step) })
    const table = page.locator('figure', { has: chart }).locator('tbody tr')
    t.equal(await table.count(), steps)
  }
  await open(page, api.url + root + '/overview?period=100y')
  t.match(await page.locator('main').innerText(), 'Approval, 24 h')
  await page.close()
  const seen = await openSignedIn(browser, dashboard, { width: 1280 })
  await open(seen.page, api.url + root + '/overview?period=30d')
  t.same(await lookProblems(seen.page, 'overview-30d'), [])
  await open(seen.page, api.url + root + '/programs/' + api.tenant.programId + '?period=7d')
  t.same(await lookProblems(seen.page, 'program-7d'), [])
  t.same([...errors, ...seen.errors], [])
})

test('delivery health shows first tries and the oldest waiting, endpoint by endpoint', async (t) => {
  const dashboard = await startDashboard()
  const { api, root } = dashboard
  const { sql, tenant, clock } = api
  const slow = newId('we', clock.nowMs)
  const silent = newId('we', clock.nowMs)
  const hour = clock.nowMs - (clock.nowMs % HOUR_MS)
  await sql`
    insert into webhook_endpoints (id, tenant_id, environment, url, status, created_at)
    values (${slow}, ${tenant.tenantId}, 'sandbox', 'https://tenant.example/slow', 'enabled', 0),
      (${silent}, ${tenant.tenantId}, 'sandbox', 'https://tenant.example/silent', 'disabled', 0)`
  await sql`
    insert into endpoint_hours (endpoint_id, hour, succeeded, failed, first_tries, first_succeeded)
    values (${tenant.endpointId}, ${hour}, 1200, 2, 1200, 1199), (${slow}, ${hour}, 80, 40, 100, 60)`
  await sql`
    insert into open_deliveries (id, event_id, endpoint_id, tenant_id, environment, type, epoch,
      attempts, due_at, created_at)
    select 'dlv_wait' || n, 'evt_' || n, case when n = 1 then ${slow} else ${silent} end,
      ${tenant.tenantId}, 'sandbox', 'card.created', 1, 0, 0, ${clock.nowMs - 2 * HOUR_MS}
    from generate_series(1, 3) n`
  const browser = await openBrowser(t)
  const look = { width: 1280, scripts: false }
  const { page, errors } = await openSignedIn(browser, dashboard, look)
  for (const path of ['/overview', '/webhooks']) {
    const text = await open(page, api.url + root + path)
    t.match(text, /99\.9 % of 1,200 delivered at the first try/)
    t.match(text, '60 % of 100 delivered at the first try · 1 waiting, the oldest for 2 h')
    t.match(text, 'nothing new sent in 24 h · 2 held, the oldest for 2 h')
    t.equal(await page.locator('.health svg.near').count(), 1, 'the slow one worries')
    const notices = (await page.locator('.notice').allInnerTexts()).join(' ')
    if (path === '/overview') {
      t.match(notices, 'Events for https://tenant.example/slow wait, the oldest for 2 h.')
      t.notMatch(notices, 'All well')
    }
    t.equal(await page.getByRole('img', { name: /^60 % of 100 delivered/ }).count(), 1)
  }
  await open(page, api.url + root + '/webhooks/' + slow)
  t.match(await page.locator('.figures').innerText(), /first try\s+60 %\s+of 100/)
  await open(page, api.url + root + '/webhooks')
  await page.close()
  const again = await openSignedIn(browser, dashboard, { width: 1280 })
  await open(again.page, api.url + root + '/webhooks')
  t.same(await lookProblems(again.page, 'delivery-health'), [])
  t.same([...errors, ...again.errors], [])
})

test('captures that are not settled stand by their age', async (t) => {
  const dashboard = await startDashboard()
  const { api, things, root } = dashboard
  const { sql, tenant, clock } = api
  const batch = newId('stb', clock.nowMs)
  await sql`
    insert into settlement_batches (id, tenant_id, environment, settlement_account_id, chain_id,
      status, trigger, captures, gross_cents, net_cents, created_at)
    select ${batch}, ${tenant.tenantId}, 'sandbox', settlement_account_id, 31337, 'submitted',
      'interval', 1, 5000, 5000, ${clock.nowMs}
    from payments where id = ${things.get('payments') ?? ''}`
  const captures = [
    { cents: 1250, status: 'pending', batch: null, ago: 600_000 },
    { cents: 7000, status: 'pending', batch: null, ago: 5 * HOUR_MS },
    { cents: 5000, status: 'submitted', batch, ago: 4 * DAY_MS },
    { cents: 9000, status: 'landed', batch: null, ago: 5 * DAY_MS },
  ]
  for (const [at, { cents, status, batch: batchId, ago }] of captures.entries())
    await sql`
      insert into payment_captures (id, payment_id, tenant_id, environment, approval_id, bit,
        amount_cents, final, status, settlement_batch_id, created_at)
      values (${newId('cap', clock.nowMs)}, ${things.get('payments') ?? ''}, ${tenant.tenantId},
        'sandbox', ${things.get('payments') ?? ''}, ${at}, ${cents}, false, ${status}, ${batchId},
        ${clock.nowMs - ago})`
  const browser = await openBrowser(t)
  const { page, errors } = await openSignedIn(browser, dashboard, { width: 1280 })
  const text = await open(page, api.url + root + '/settlements')
  t.match(text, /Oldest waiting for a batch\s+5 h/)
  t.match(text, /Oldest in settlement\s+4 d\s+more than a day/)
  const chart = page.getByRole('img', { name: /^Unsettled captures by age/ })
  t.equal(
    await chart.getAttribute('aria-label'),
    'Unsettled captures by age: 132.50 USD, of it older than a day 50.00 USD',
  )
  const figure = page.locator('figure', { has: chart })
  await figure.locator('summary').click()
  const rows = await figure.locator('tbody tr').allInnerTexts()
  t.same(
    rows.map((row) => row.split(/\s*\t\s*/)),
    [
      ['< 1 h', '12.50 USD', '0.00 USD'],
      ['1–6 h', '70.00 USD', '0.00 USD'],
      ['6–24 h', '0.00 USD', '0.00 USD'],
      ['1–3 d', '0.00 USD', '0.00 USD'],
      ['> 3 d', '0.00 USD', '50.00 USD'],
    ],
  )
  t.same(await lookProblems(page, 'settlement-ages'), [])
  t.same(errors, [])
})
