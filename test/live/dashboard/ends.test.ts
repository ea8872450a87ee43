// Pages in place of others: refused, missing, in conflict, broken. Each says what it is, what helps
// and which request it was, at every width.
import type { Page } from 'playwright-core'
import { test } from 'tap'
import { openBrowser, picture } from '../../harness/browser.ts'
import { enterAs, openSignedIn, startDashboard } from '../../harness/dashboard.ts'
import { axeProblems } from '../../harness/judge.ts'
import { lowTargets, overflows } from '../../harness/looks.ts'
import { visit } from '../../harness/visit.ts'

async function lookProblems(page: Page, name: string): Promise<string[]> {
  const problems: string[] = []
  for (const [width, dark] of [
    [1280, true],
    [768, false],
    [390, false],
  ] as const) {
    await page.setViewportSize({ width, height: 900 })
    await page.emulateMedia({ colorScheme: dark ? 'dark' : 'light', reducedMotion: 'reduce' })
    await picture(page, name + '-' + width + (dark ? '-dark' : ''))
    if (await overflows(page)) problems.push(width + ' is too wide')
    problems.push(...(await lowTargets(page, width < 600 ? 44 : 32)))
    problems.push(...(await axeProblems(page)))
  }
  return problems
}

test('a page of another role, an unknown id and a conflict say what helps', async (t) => {
  const dashboard = await startDashboard()
  const { api, root } = dashboard
  const browser = await openBrowser(t)
  const analyst = await enterAs(api, 'analyst')
  const { page: other } = await openSignedIn(browser, { api, ...analyst }, { width: 1280 })
  const refused = await other.goto(api.url + root + '/keys')
  t.equal(refused?.status(), 403)
  t.match(await other.locator('main').innerText(), /Not for your role[\s\S]*You are analyst of/)
  t.same(await lookProblems(other, 'end-403'), [])

  const { page } = await openSignedIn(browser, dashboard, { width: 1280 })
  const missing = await page.goto(api.url + root + '/cards/card_' + '0'.repeat(26))
  t.equal(missing?.status(), 404)
  t.match(await page.locator('main').innerText(), /Nothing here[\s\S]*belongs to one environment/)
  t.same(await lookProblems(page, 'end-404'), [])

  const card = root + '/cards/' + api.tenant.cardId
  await page.goto(api.url + card)
  await api.sql`update cards set status = 'terminated' where id = ${api.tenant.cardId}`
  await page.getByRole('button', { name: 'Suspend…' }).click()
  const [conflict] = await Promise.all([
    page.waitForResponse((answer) => answer.request().method() === 'POST'),
    page.getByRole('dialog').getByRole('button', { name: 'Suspend' }).click(),
  ])
  await page.getByRole('heading', { name: 'This did not work' }).waitFor()
  t.equal(conflict.status(), 409)
  const { href, request } = await page.evaluate<{ href: string; request: string }>(`({
    href: document.querySelector('.problem a').getAttribute('href'),
    request: document.querySelector('.problem .soft').textContent,
  })`)
  t.match(href, /^\/docs\/errors#\w+$/)
  t.match(request, /^req_\w+$/)
  t.same(await lookProblems(page, 'end-409'), [])
})

test('a fault names its request, and an unknown address does not', async (t) => {
  const dashboard = await startDashboard()
  const { api, root, cookie } = dashboard
  const browser = await openBrowser(t)
  const { page } = await openSignedIn(browser, dashboard, { width: 1280 })
  await page.goto(api.url + root + '/nowhere')
  t.notMatch(await page.locator('main').innerText(), 'req_')
  t.same(await lookProblems(page, 'end-unknown'), [])

  const foreign = { 'sec-fetch-site': 'cross-site' }
  const sent = { cookie, form: { name: 'x' }, headers: foreign }
  t.equal((await visit(api, root + '/programs/new', sent)).status, 403)

  await api.sql`alter table sessions rename to elsewhere`
  t.teardown(() => api.sql`alter table elsewhere rename to sessions`)
  const { page: stranger } = await openSignedIn(
    browser,
    { api, cookie: 'svc=' + 'A'.repeat(43) },
    { width: 1280 },
  )
  const broken = await stranger.goto(api.url + root + '/overview')
  t.equal(broken?.status(), 500)
  const id = (await broken?.headerValue('request-id')) ?? ''
  t.match(id, /^req_\w+$/)
  const text = await stranger.locator('main').innerText()
  t.match(text, 'Something went wrong')
  t.match(text, id, 'the page names the request of the log')
  t.same(await lookProblems(stranger, 'end-500'), [])
})
