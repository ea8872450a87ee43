// Work of the dashboard in Chromium, without scripts: a backtest from the page of a control, open
// decisions of stand-in, the bytes of a delivery, a recovery and a certification.
import type { Page } from 'playwright-core'
import { test } from 'tap'
import { backtestsJob } from '../../../api/issuing/backtests/index.ts'
import { newId } from '../../../shared/id.ts'
import type { DecisionEntry } from '../../../shared/wire/journal-entry.ts'
import { openBrowser, picture } from '../../harness/browser.ts'
import {
  enterAs,
  openSignedIn,
  startDashboard,
  type TestDashboard,
} from '../../harness/dashboard.ts'
import { drain } from '../../harness/drained.ts'
import { decisionEntry } from '../../harness/entries.ts'
import { runJob } from '../../harness/jobs.ts'
import { seedTenant } from '../../harness/tenant.ts'

/** Text of the page; a panel that a busy machine made late is asked again. */
async function mainText(page: Page): Promise<string> {
  for (;;) {
    const text = await page.locator('main').innerText()
    if (!text.includes('took too long')) return text
    await page.reload()
  }
}

/** An approved authorization of the tenant's card. */
function entryOf({ api }: TestDashboard, change: Partial<DecisionEntry['decision']>) {
  const like = decisionEntry({})
  const { tenant, clock } = api
  const id = newId('txn', clock.nowMs)
  if (like.card === null) throw new Error('the entry has a card')
  const { tenantId, programId, cardholderId, cardId } = tenant
  return {
    ...like,
    transactionId: id,
    environment: tenant.environment,
    receivedAtMs: clock.nowMs - 60_000,
    message: { ...like.message, id: 'msg-' + id, merchantName: 'Corner Shop' },
    card: { ...like.card, tenantId, programId, cardholderId, cardId, windowsId: cardId },
    decision: { ...like.decision, ...change },
  }
}

test('a card leads to a control of its own, whose further limits open', async (t) => {
  const dashboard = await startDashboard()
  const { api, root, things } = dashboard
  const card = things.get('cards') ?? ''
  const browser = await openBrowser(t)
  const look = { width: 1280, dark: false, scripts: false }
  const { page, errors } = await openSignedIn(browser, dashboard, look)
  await page.goto(api.url + root + '/cards/' + card)
  await page.getByRole('link', { name: 'Write a control' }).click()
  t.equal(await page.getByLabel('Its id').inputValue(), card)
  await page.getByLabel('Limit 1').selectOption('daily')
  await page.locator('input[name=amount_0]').fill('500')
  t.equal(await page.getByLabel('Limit 2').isVisible(), false)
  await page.getByText('Further limits').click()
  await page.getByLabel('Limit 2').selectOption('weekly')
  await page.locator('input[name=count_1]').fill('9')
  await page.getByRole('button', { name: 'Save the draft' }).click()
  await page.waitForURL(/controls\/ctl_\w+\?done=/)
  await page.getByRole('link', { name: 'Edit', exact: true }).click()
  t.equal(await page.locator('input[name=count_1]').isVisible(), true, 'a used limit stands open')
  t.equal(await page.getByLabel('Limit 3').isVisible(), false)
  t.same(errors, [])
})

test('a control is judged against the past, from its page and from its editor', async (t) => {
  const dashboard = await startDashboard()
  const { api, things, root } = dashboard
  await api.sql`delete from spending_control_backtests`
  await drain(api.sql, entryOf(dashboard, {}), entryOf(dashboard, {}))
  const browser = await openBrowser(t)
  const { page, errors } = await openSignedIn(browser, dashboard, {
    ...{ width: 1280, dark: false, scripts: false },
  })
  const control = api.url + root + '/controls/' + things.get('spending_controls')
  const judge = (): Promise<number> =>
    runJob(backtestsJob(), { sql: api.sql, now: api.clock.nowMs })

  await page.goto(control)
  t.match(await mainText(page), 'No backtest yet')
  await page.getByLabel('Judge the last').selectOption('30')
  await page.getByRole('button', { name: 'Judge the past by these terms' }).click()
  t.equal(await page.locator('h1').innerText(), 'The last 30 days by other terms')
  t.match(await page.locator('main').innerText(), 'It waits for its turn')
  t.equal(await judge(), 1)
  await page.getByRole('link', { name: 'Look again' }).click()
  t.match(await page.locator('main').innerText(), 'Every answer stays')

  await page.goto(control + '/edit')
  await page.getByLabel('Limit 1').selectOption('daily')
  await page.getByLabel('Amount').first().fill('0')
  await page.getByRole('button', { name: 'Judge the last 7 days by these terms' }).click()
  t.equal(await page.locator('h1').innerText(), 'The last 7 days by other terms')
  await judge()
  await page.reload()
  const shown = await page.locator('main').innerText()
  t.match(shown, 'Corner Shop')
  t.match(shown, 'limit daily')
  t.match(shown, 'approved, would be declined')
  await picture(page, 'backtest-1280')
  await page.goto(control)
  const listed = await mainText(page)
  t.match(listed, /declined, 0 let pass, of \d/)
  t.match(listed, 'version 1', 'the control has no new version')
  t.same(errors, [])
})

test('the editor keeps limits that its fields cannot show', async (t) => {
  const dashboard = await startDashboard()
  const { api, root } = dashboard
  const { keys, cardId } = api.tenant
  const limits = [
    { interval: 'rolling', rolling_seconds: 3600, amount_cents: 700, count: 3 },
    { interval: 'daily', amount_cents: 12_345, filters: { countries: ['US'] } },
  ]
  const body = { scope: 'card', subject_id: cardId, limits }
  const made = await api.call('POST', '/v1/spending_controls', { key: keys.write, body })
  const browser = await openBrowser(t)
  const { page } = await openSignedIn(browser, dashboard, {
    ...{ width: 390, dark: true, scripts: false },
  })
  await page.goto(api.url + root + '/controls/' + made.body.id + '/edit')
  await page.getByRole('button', { name: 'Save and bind' }).click()
  t.match(page.url(), 'done=')
  const path = '/v1/spending_controls/' + made.body.id
  const after = (await api.call('GET', path, { key: keys.read })).body
  t.same(after.limits, made.body.limits)
})

test('open decisions of stand-in are acknowledged', async (t) => {
  const dashboard = await startDashboard()
  const { api, root } = dashboard
  await drain(
    api.sql,
    entryOf(dashboard, { standIn: true, standInWould: { approve: true, reason: null } }),
  )
  const browser = await openBrowser(t)
  const { page, errors } = await openSignedIn(browser, dashboard, {
    ...{ width: 1280, dark: true, scripts: false },
  })
  await page.goto(api.url + root + '/stand_in')
  t.match(await mainText(page), 'Corner Shop')
  await picture(page, 'stand-in-open-1280-dark')
  await page.getByRole('button', { name: /^Acknowledge all/ }).press('Enter')
  await page.waitForURL(/done=/)
  t.match(await page.locator('main').innerText(), 'The decisions are acknowledged.')
  t.match(await mainText(page), 'Nothing is open')
  t.same(errors, [])
})

test('a delivery shows its bytes, an endpoint its certification and recoveries', async (t) => {
  const dashboard = await startDashboard()
  const { api, things, root } = dashboard
  const browser = await openBrowser(t)
  const { page, errors } = await openSignedIn(browser, dashboard, {
    ...{ width: 1280, dark: false, scripts: false },
  })
  const id = String(things.get('webhook_deliveries'))
  const path = '/v1/webhook_deliveries/' + id + '/request'
  const { body: request } = await api.call('GET', path, { key: api.tenant.keys.read })
  await page.goto(api.url + root + '/deliveries/' + id)
  t.match(await mainText(page), 'svc-delivery-id: ' + id)
  t.equal(
    await page.getByRole('region', { name: 'Exact body' }).innerText(),
    request.body,
    'byte for byte',
  )
  t.notMatch(await page.content(), /whsec_/)
  await picture(page, 'delivery-bytes-1280')

  await page.goto(api.url + root + '/webhooks/' + api.tenant.endpointId)
  t.match(await mainText(page), 'certified')
  await page.getByRole('button', { name: 'Cancel' }).click()
  t.match(await page.locator('main').innerText(), 'The recovery ended')
  t.same(errors, [])
})

test('refused calls have a page with a picture', async (t) => {
  const { api } = await startDashboard()
  // Refused calls of the tests before are written late: this tenant has none.
  const { tenantId } = await seedTenant(api.sql, 'sandbox')
  const { cookie } = await enterAs(api, 'owner', tenantId)
  const browser = await openBrowser(t)
  const look = { width: 1280, dark: false, scripts: false }
  const { page, errors } = await openSignedIn(browser, { api, cookie }, look)
  await page.goto(api.url + '/d/' + tenantId + '/sandbox/api_errors')
  t.match(await mainText(page), 'No call was refused')
  for (const [at, code] of ['parameter_invalid', 'resource_missing', 'parameter_invalid'].entries())
    await api.sql`
      insert into refused_calls (
        id, tenant_id, environment, request_id, method, path, status, code, param,
        credential_kind, credential_id, address, created_at
      ) values (
        ${newId('rcl', api.clock.nowMs)}, ${tenantId}, 'sandbox', ${'req_' + at}, 'GET',
        '/v1/cards/:id', 404, ${code}, null, 'api_key', 'key_1', null,
        ${api.clock.nowMs - at * 3_600_000}
      )`
  await page.reload()
  t.match(await mainText(page), 'GET /v1/cards/:id')
  t.match(
    await page.locator('svg.chart').getAttribute('aria-label'),
    '3 refused calls, most of them parameter_invalid',
  )
  await picture(page, 'api-errors-1280')
  t.same(errors, [])
})
