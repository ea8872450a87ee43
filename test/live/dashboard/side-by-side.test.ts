// The sandbox and live of one tenant in two tabs of one browser: each tab acts in its own
// environment, whatever the other one did last.
import { test } from 'tap'
import { openBrowser, picture } from '../../harness/browser.ts'
import { openSignedIn, openTab, startDashboard } from '../../harness/dashboard.ts'
import { seedSafeOwner } from '../../harness/person.ts'
import { seedTenant } from '../../harness/tenant.ts'

test('sandbox and live stand side by side', async (t) => {
  const dashboard = await startDashboard()
  const { api, root } = dashboard
  const { tenantId, cardId } = api.tenant
  await seedSafeOwner(api.sql, tenantId)
  const live = await seedTenant(api.sql, 'live', tenantId)
  const statusOf = async (id: string) =>
    (await api.sql`select status from cards where id = ${id}`)[0]?.['status']
  const browser = await openBrowser(t)
  const watched = await openSignedIn(browser, dashboard, { width: 1280 })
  const { page: sandboxTab, errors } = watched
  const liveTab = await openTab(watched, api.url)
  const liveRoot = '/d/' + tenantId + '/live'
  await sandboxTab.goto(api.url + root + '/cards/' + cardId)
  await liveTab.goto(api.url + liveRoot + '/cards/' + live.cardId)
  t.equal(await sandboxTab.locator('.livebar').count(), 0)
  t.match(await liveTab.locator('.livebar').innerText(), 'LIVE')
  t.match(await sandboxTab.title(), /sandbox$/)
  t.match(await liveTab.title(), /live$/)
  await picture(liveTab, 'side-by-side-live')

  // The form that was opened first acts where it was opened, though live was seen last.
  await sandboxTab.getByRole('button', { name: 'Suspend…' }).click()
  await sandboxTab.locator('dialog[open]').getByRole('button', { name: 'Suspend' }).click()
  await sandboxTab.waitForURL(/done=/)
  t.equal(await statusOf(cardId), 'suspended')
  t.equal(await statusOf(live.cardId), 'active')
  t.equal(new URL(sandboxTab.url()).pathname, root + '/cards/' + cardId)

  await liveTab.getByRole('button', { name: 'Suspend…' }).click()
  await liveTab.locator('dialog[open]').getByRole('button', { name: 'Suspend' }).click()
  await liveTab.waitForURL(/done=/)
  t.equal(await statusOf(live.cardId), 'suspended')
  await sandboxTab.getByRole('button', { name: 'Resume' }).click()
  await sandboxTab.waitForURL(/done=/)
  await sandboxTab.getByRole('button', { name: 'Suspend…' }).waitFor()
  t.equal(await statusOf(cardId), 'active')
  t.equal(await statusOf(live.cardId), 'suspended', 'a move in one tab leaves the other alone')

  // Lists hold their own environment only, and an id of the other one is unknown.
  for (const [tab, own, foreign] of [
    [sandboxTab, root, live.cardId],
    [liveTab, liveRoot, cardId],
  ] as const) {
    await tab.goto(api.url + own + '/cards')
    t.ok((await tab.locator('tbody tr').count()) > 0, own)
    t.equal(await tab.locator('a[href$="' + foreign + '"]').count(), 0)
  }
  t.same(errors, [])
  const answer = await liveTab.goto(api.url + liveRoot + '/cards/' + cardId)
  t.equal(answer?.status(), 404)
  await liveTab.goto(api.url + liveRoot + '/search?q=' + cardId)
  t.match(await liveTab.locator('main').innerText(), /An id belongs to one environment/)
  await liveTab.getByRole('link', { name: 'Look for it in the sandbox' }).click()
  await liveTab.waitForURL(api.url + root + '/cards/' + cardId)
  await liveTab.goto(api.url + liveRoot + '/overview')
  await liveTab.locator('.switch').first().locator('summary').click()
  await liveTab.locator('.switch').first().getByRole('link', { name: 'sandbox' }).click()
  await liveTab.waitForURL(/sandbox\/overview$/)
  t.equal(await liveTab.locator('.livebar').count(), 0)
  t.same(
    errors.filter((text) => !text.includes('404')),
    [],
  )
})
