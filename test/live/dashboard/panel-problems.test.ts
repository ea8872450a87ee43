// Answers that panels and forms do not get: late, refused, broken, out of turn. Each says what it
// is and what helps, in its own place, at both ends of the width.
import type { Page } from 'playwright-core'
import { test } from 'tap'
import type { Sql } from '../../../api/database/pool.ts'
import { systemClock } from '../../../shared/clock.ts'
import { openBrowser, picture } from '../../harness/browser.ts'
import { enterAs, openSignedIn, startDashboard } from '../../harness/dashboard.ts'
import { axeProblems } from '../../harness/judge.ts'
import { openLocalApi } from '../../harness/local-api.ts'
import { overflows } from '../../harness/looks.ts'
import { until } from '../../harness/until.ts'
import { visit } from '../../harness/visit.ts'

/** Long enough for panels that wait for nothing, on a busy machine too. */
const PANEL_MS = 5000

/** Problems of a page at both ends of the width, with the sentences of its panels. */
async function looked(page: Page, name: string): Promise<string[]> {
  const problems: string[] = []
  for (const [width, dark] of [
    [1280, false],
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

/** The sentence of the panel that has this title. */
const saysOf = (page: Page, title: string): Promise<string> =>
  page
    .locator('.panel', { has: page.getByRole('heading', { name: title, exact: true }) })
    .locator('.problem')
    .innerText()

/** Runs while a table is locked. */
async function whileLocked(sql: Sql, table: string, run: () => Promise<void>): Promise<void> {
  const { promise: released, resolve: release } = Promise.withResolvers<void>()
  const { promise: locked, resolve: isLocked } = Promise.withResolvers<void>()
  const holding = sql.begin(async (inner) => {
    await inner`lock table ${inner(table)} in access exclusive mode`
    isLocked()
    await released
  })
  await locked
  await run().finally(release)
  await holding
}

test('31: a late panel and a broken one say so, and the others are shown', async (t) => {
  const { api, root, cookie } = await startDashboard()
  const clock = { ...systemClock, nowMs: () => api.clock.nowMs }
  const { url } = await openLocalApi(t, api, { clock, panelMs: PANEL_MS })
  const browser = await openBrowser(t)
  const local = { api: { ...api, url }, cookie }
  const { page, errors } = await openSignedIn(browser, local, { width: 1280 })
  await whileLocked(api.sql, 'disputes', async () => {
    // A busy machine makes other panels late too, and not each time.
    await until(async () => {
      const late = await page.goto(url + root + '/overview')
      t.equal(late?.status(), 200)
      return (await page.locator('.problem').count()) === 2
    }, 120_000)
  })
  t.match(await saysOf(page, 'Disputes due'), 'The answer took too long. Load the page again.')
  t.match(await page.locator('main').innerText(), 'it is not known whether all is well')
  t.match(await saysOf(page, 'Latest transactions'), 'too long', 'it names their disputes')
  t.same(await looked(page, 'problem-late'), [])

  await api.sql`alter table disputes rename to elsewhere`
  t.teardown(() => api.sql`alter table if exists elsewhere rename to disputes`)
  await page.goto(url + root + '/overview')
  const broken = await saysOf(page, 'Disputes due')
  t.match(broken, /Load the page again; if it stays, tell us the request\. .*req_\w+/)
  t.same(await looked(page, 'problem-500-panel'), [])
  const list = await page.goto(url + root + '/disputes')
  t.equal(list?.status(), 200)
  t.match(await page.locator('.problem').last().innerText(), /Load the page again.*req_\w+/)
  t.same(await looked(page, 'problem-500-list'), [])
  await api.sql`alter table elsewhere rename to disputes`
  t.same(errors, [])
})

test('a write that the engine has not confirmed says so', async (t) => {
  const dashboard = await startDashboard()
  const { api, root } = dashboard
  const browser = await openBrowser(t)
  const { page } = await openSignedIn(browser, dashboard, { width: 1280 })
  api.engine.covers = false
  await page.goto(api.url + root + '/cards/' + api.tenant.cardId)
  await page.getByRole('button', { name: 'Suspend…' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Suspend' }).click()
  await page.getByRole('heading', { name: 'Stored, and not confirmed yet' }).waitFor()
  t.notMatch(await page.locator('main').innerText(), 'Idempotency-Key', 'a page sends no header')
  t.same(await looked(page, 'problem-503-stored'), [])
  api.engine.covers = true
})

test('a page of too many calls says how long to wait', async (t) => {
  const { api } = await startDashboard()
  const { tenantId, cardId } = api.other
  const { cookie } = await enterAs(api, 'owner', tenantId)
  const browser = await openBrowser(t)
  const { page } = await openSignedIn(browser, { api, cookie }, { width: 1280 })
  const root = '/d/' + tenantId + '/sandbox'
  api.holdMonotonic()
  const isRefused = async (): Promise<boolean> => {
    const answer = await visit(api, root + '/overview', { cookie })
    return (await answer.text()).includes('Too many calls')
  }
  await until(isRefused)
  await page.goto(api.url + root + '/overview')
  t.match(await page.locator('.problem').first().innerText(), 'Too many calls. Wait a minute')
  t.notMatch(await page.locator('main').innerText(), 'none is asked in real time', 'nobody knows')
  t.same(await looked(page, 'problem-429'), [])
  const card = await page.goto(api.url + root + '/cards/' + cardId)
  t.equal(card?.status(), 429)
  t.match(await page.locator('main').innerText(), 'Too many calls. Wait a minute')
  t.same(await looked(page, 'problem-429-page'), [])
})

test('a form that the API refuses keeps its values, marks every wrong field and says why', async (t) => {
  const dashboard = await startDashboard()
  const { api, root } = dashboard
  const browser = await openBrowser(t)
  const { page } = await openSignedIn(browser, dashboard, { width: 1280 })
  await page.goto(api.url + root + '/cardholders/new')
  const values = {
    ...{ first_name: 'Ada', last_name: 'Lovelace', email: 'nobody', date_of_birth: '1990-12-10' },
    ...{ line1: '12 St James Square', city: 'London', postal_code: 'SW1', country: 'England' },
  }
  for (const [name, value] of Object.entries(values))
    await page.locator('main [name=' + name + ']').fill(value)
  const right = [['email', 'ada@tenant.example'] as const, ['country', 'GB'] as const]
  for (const [left, [name, value]] of right.entries()) {
    await page.getByRole('button', { name: 'Add the cardholder' }).click()
    const marked = page.locator('main [name=' + name + '][aria-invalid=true]:focus')
    await marked.waitFor()
    t.equal(await page.locator('[aria-invalid]').count(), right.length - left, name)
    t.equal(await page.locator('main [name=line1]').inputValue(), values.line1)
    t.same(await looked(page, 'problem-400-' + name), [])
    await marked.fill(value)
  }
  await page.getByRole('button', { name: 'Add the cardholder' }).click()
  await page.waitForURL(/cardholders\/ch_\w+\?done=/)
})

test('live of a tenant that is not verified leads to the application', async (t) => {
  const { api } = await startDashboard()
  const { tenantId } = api.other
  const { person, cookie } = await enterAs(api, 'owner', tenantId)
  const browser = await openBrowser(t)
  const { page } = await openSignedIn(browser, { api, cookie }, { width: 1280 })
  const live = api.url + '/d/' + tenantId + '/live'
  const toApplication = async (name: string): Promise<void> => {
    await page.locator('main').getByRole('link', { name }).click()
    await page.waitForURL(/going_live$/)
  }
  await page.goto(live + '/overview')
  await toApplication('Apply for live')
  await page.goto(live + '/cardholders/new')
  await toApplication('Going live')
  await page.goto(live + '/keys/new')
  await page.locator('main [name=name]').fill('Orders')
  await page.getByRole('button', { name: 'Make the key' }).click()
  const code = page.locator('main [name=code]')
  const problem = page.locator('main .problem')
  await code.or(problem).first().waitFor()
  if ((await problem.count()) === 0) {
    await code.fill(person.codeAt(api.clock.nowMs))
    await page.getByRole('button', { name: 'Confirm' }).click()
    await problem.waitFor()
  }
  t.match(await problem.innerText(), 'not verified yet: live is closed to it')
  t.same(await looked(page, 'problem-403-live'), [])
  await toApplication('Apply for live')
})
