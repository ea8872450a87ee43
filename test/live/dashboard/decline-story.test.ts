// From a decline to a control that lets the next one pass: the reason, the control behind it, a
// draft of other terms, and its activation, in a browser without scripts.
import { test } from 'tap'
import { RULE_CATALOG, type TraceRow } from '../../../shared/rule-catalog.ts'
import { openBrowser, picture } from '../../harness/browser.ts'
import { openSignedIn, startDashboard } from '../../harness/dashboard.ts'
import { seedTransaction } from '../../harness/drained.ts'

/** A trace in which the daily limit of the card stopped an authorization of 13.01 USD. */
function traceOf(limitId: string): TraceRow[] {
  const { number, version } = RULE_CATALOG.within_limit
  const [begin, end] = [Date.UTC(2026, 10, 20), Date.UTC(2026, 10, 21)]
  const row = (
    declined: 0 | 1,
    id: string,
    [interval, limit, used, reserved, asked]: readonly [string, number, number, number, number],
  ): TraceRow => [
    ...([number, version, declined, 'card', id, interval, limit, 'USD'] as const),
    ...([used, reserved, asked, begin, end, 'Europe/Lisbon'] as const),
    interval === 'weekly' ? 'count' : 'amount',
  ]
  return [
    [RULE_CATALOG.program_active.number, 1, 0, 'active'],
    row(0, 'lim_1', ['per_authorization', 50_000, 0, 0, 1301]),
    row(0, 'lim_2', ['weekly', 10, 2, 0, 1]),
    row(1, limitId, ['daily', 5000, 3800, 50, 1301]),
  ]
}

test('a decline leads to its control, a draft of it, and the activation', async (t) => {
  const dashboard = await startDashboard()
  const { api, root } = dashboard
  const { keys, cardId } = api.tenant
  const read = async (query: string) =>
    (await api.call('GET', '/v1/spending_controls' + query, { key: keys.read })).body
  const { data } = await read('?subject_id=' + cardId + '&state=active')
  const control = data.find(({ limits }: { limits: object[] }) => limits.length > 0)
  const [limit] = control.limits
  const { id } = await seedTransaction(api.sql, api.tenant, {
    ...{ amountCents: 1301, declineDetail: 'card:' + limit.id },
    trace: traceOf(limit.id),
  })
  const browser = await openBrowser(t)
  const look = { width: 1280, scripts: false }
  const { page, errors } = await openSignedIn(browser, dashboard, look)
  await page.goto(api.url + root + '/declines')
  await page.locator('a.row').first().click()
  await page.waitForURL(new RegExp('transactions/' + id))
  const text = await page.locator('main').innerText()
  t.match(text, 'Why it was declined: limit daily')
  t.match(text, 'Detail: card:' + limit.id + '.')
  t.match(text, 'What would have let it pass:')
  t.match(
    text,
    /Timeline\s+\+0\.00 ms[\s→]+received from \w+[\s\S]*judged by \d+ rules?[\s\S]*answered[\s\S]*declined[\s\S]*with code \d+/,
  )
  const trace = page.locator('.trace')
  t.match(await trace.innerText(), 'used + 0.50 USD reserved + 13.01 USD asked of 50.00 USD')
  t.match(await trace.innerText(), '2 used + 1 asked of 10 authorizations')
  t.equal(await trace.locator('.meter').count(), 3, 'each limit has a bar')
  t.equal(await trace.locator('.stop .meter.over').count(), 1, 'one of them is full')
  for (const width of [1280, 390]) {
    await page.setViewportSize({ width, height: 900 })
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
      await picture(page, 'decline-story-' + width + '-' + colorScheme)
    }
  }
  await page.setViewportSize({ width: 1280, height: 900 })
  await page.getByRole('link', { name: 'Open the control' }).click()
  t.equal(new URL(page.url()).pathname, root + '/controls/' + control.id)
  await page.getByRole('link', { name: 'Draft a change' }).click()
  await page.getByLabel('Amount').first().fill('500.00')
  await page.getByRole('button', { name: 'Save the draft' }).press('Enter')
  await page.waitForURL(/controls\/ctl_\w+\?done=/)
  const draft = new URL(page.url()).pathname.split('/').at(-1)
  t.not(draft, control.id)
  t.match(await page.locator('main').innerText(), 'The draft is saved.')
  t.match(await read('/' + draft), { state: 'draft', limits: [{ amount_cents: 50_000 }] })
  t.match(await read('/' + control.id), { state: 'active', limits: [{ id: limit.id }] })
  // Dialogs open without scripts.
  await page.getByRole('button', { name: 'Activate…' }).click()
  await page.locator('dialog[open]').getByRole('button', { name: 'Activate' }).click()
  await page.waitForURL(/done=/)
  t.match(await page.locator('main').innerText(), 'The control binds from now on.')
  t.match(await read('/' + draft), { state: 'active' })
  await picture(page, 'decline-story-active-1280')
  t.same(errors, [])
})
