// From a decline to a control that lets the next one pass: the reason, the control behind it, a
// draft of other terms, and its activation, in a browser without scripts.
import { test } from 'tap'
import { openBrowser, picture } from '../../harness/browser.ts'
import { openSignedIn, startDashboard } from '../../harness/dashboard.ts'
import { seedTransaction } from '../../harness/drained.ts'

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
  })
  const browser = await openBrowser(t)
  const look = { width: 1280, scripts: false }
  const { page, errors } = await openSignedIn(browser, dashboard, look)
  await page.goto(api.url + root + '/declines')
  await page.locator('a.row').first().click()
  await page.waitForURL(new RegExp('transactions/' + id))
  const text = await page.locator('main').innerText()
  t.match(text, 'Why it was declined: limit daily')
  t.match(text, 'What would have let it pass:')
  t.match(
    text,
    /Timeline\s+\+0\.00 ms[\s→]+received from \w+[\s\S]*judged by \d+ rules?[\s\S]*answered[\s\S]*declined[\s\S]*with code \d+/,
  )
  await picture(page, 'decline-story-1280')
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
