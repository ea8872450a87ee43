// Pages of a tenant that has just signed up, and of one that works in live: no page is missing or
// too wide, and an empty one says what to do first and leads there.
import type { Page } from 'playwright-core'
import { test } from 'tap'
import type { PageDefinition } from '../../../api/dashboard/page.ts'
import { PAGES } from '../../../api/dashboard/pages/table.ts'
import { newId } from '../../../shared/id.ts'
import type { Environment } from '../../../shared/wire/config-records.ts'
import { openBrowser, picture } from '../../harness/browser.ts'
import { enterAs, openSignedIn } from '../../harness/dashboard.ts'
import { addressOf } from '../../harness/dashboard-pages.ts'
import { furnish } from '../../harness/furnished.ts'
import { startIssuingApi } from '../../harness/issuing.ts'
import { axeProblems } from '../../harness/judge.ts'
import { overflows } from '../../harness/looks.ts'
import { cookieOf, visit } from '../../harness/visit.ts'

/** Pages whose rules of axe-core are asked here too: with the frame of live, and with the steps. */
const RULED = ['/overview', '/stand_in', '/cards']

/** Problems of an opened page at both ends of the width. */
async function problemsOf(page: Page, path: string, name: string): Promise<string[]> {
  const problems = await page.evaluate<string[]>(
    `[...document.querySelectorAll('.problem')].map((each) => each.textContent)`,
  )
  for (const [width, dark] of [
    [1280, false],
    [390, true],
  ] as const) {
    await page.setViewportSize({ width, height: 900 })
    await page.emulateMedia({ colorScheme: dark ? 'dark' : 'light', reducedMotion: 'reduce' })
    await picture(page, name + '-' + width + (dark ? '-dark' : ''))
    if (await overflows(page)) problems.push('is too wide at ' + width)
  }
  if (RULED.includes(path)) problems.push(...(await axeProblems(page)))
  return problems
}

const isOf =
  (environment: Environment) =>
  ({ only }: PageDefinition): boolean =>
    only === undefined || only === environment

/** Where the first row of a list begins; other lists have a form, or nothing to do. */
const BEGINS: { readonly [path: string]: string } = {
  '/transactions': '/sandbox',
  '/declines': '/sandbox',
  '/cards': '/cardholders',
  '/cardholders': '/cardholders/new',
  '/controls': '/controls/new',
  '/disputes': '/transactions?status=captured',
  '/passes': '/templates',
  '/templates': '/templates/new',
  '/scans': '/scanners',
  '/scanners': '/scanners/new',
  '/payments': '/payment_accounts',
  '/payment_accounts': '/cardholders',
  '/settlements': '/payments',
  '/settlement_accounts': '/settlement_accounts/new',
  '/keys': '/keys/new',
  '/webhooks': '/webhooks/new',
  '/deliveries': '/webhooks',
  '/invitations': '/invitations/new',
}

test('each page of a tenant that has just signed up says what to do first', async (t) => {
  const api = await startIssuingApi()
  await api.sql`delete from sign_in_tries`
  const form = {
    ...{ form: newId('idn', api.clock.nowMs), email: 'grace@newcomer.example', name: 'Grace' },
    ...{ company: 'New Ltd', country: 'DE', password: 'correct horse battery' },
  }
  const cookie = cookieOf(await visit(api, '/sign-up', { form }))
  const [{ id = '' } = {}] = await api.sql<{ id: string }[]>`
    select id from tenants where name = 'New Ltd'`
  const overview = await (await visit(api, '/d/' + id + '/sandbox/overview', { cookie })).text()
  t.match(overview, /<li><a href="\/account">Set up a second factor<\/a>[^✓]*<\/li>/)
  const browser = await openBrowser(t)
  const { page, errors } = await openSignedIn(browser, { api, cookie }, { width: 1280 })
  for (const environment of ['sandbox', 'live'] as const) {
    const root = '/d/' + id + '/' + environment
    for (const { path } of PAGES.filter(isOf(environment))) {
      if (path.includes(':')) continue
      const name = 'fresh-' + environment + path.replaceAll('/', '-')
      const shown = await page.goto(api.url + root + path)
      t.equal(shown?.status(), 200, name)
      t.same(await problemsOf(page, path, name), [], name)
      const [empty, saved, link] = await page.evaluate<[number, number, string | null]>(
        `['main > .empty', '[download], .filters']
          .map((each) => document.querySelectorAll(each).length)
          .concat(document.querySelector('main > .empty a.button')?.getAttribute('href') ?? null)`,
      )
      if (empty === 0) continue
      t.equal(saved, 0, name + ' has nothing to save')
      const begins = BEGINS[path]
      if (environment === 'live' || begins === undefined) continue
      t.equal(link, root + begins, name)
    }
  }
  t.same(errors, [])
})

test('the overview of a new tenant leads to the first authorization', async (t) => {
  const api = await startIssuingApi()
  const { tenantId } = api.tenant
  const { cookie } = await enterAs(api, 'owner')
  const read = async (environment: Environment): Promise<string> => {
    const answer = await visit(api, '/d/' + tenantId + '/' + environment + '/overview', { cookie })
    return (await answer.text()).replaceAll(/<[^>]*>/g, '')
  }
  const sandbox = await read('sandbox')
  t.match(sandbox, /These steps lead to the first authorization/)
  t.match(sandbox, /Issue a card The page of the cardholder issues it\. ✓ done/)
  t.match(sandbox, /Send an authorization The sandbox sends it through the real line\.\s*A?/)
  t.match(sandbox, /Set up a second factor [^✓]* ✓ done\s*Make an API key/)
  t.notMatch(sandbox, 'All well', 'praise of nothing says nothing')
  const live = await read('live')
  t.match(live, /Apply for live Live is closed until an operator has verified the business\./)
  t.notMatch(live, /Issue a card[^.]*\. ✓ done/)
  t.notMatch(live, 'Send an authorization')
  await api.sql`update tenants set kyb_status = 'approved' where id = ${tenantId}`
  const going = await visit(api, '/d/' + tenantId + '/sandbox/going_live', { cookie })
  t.match(await going.text(), 'href="/d/' + tenantId + '/live/keys/new">Make a live key</a>')
  t.match(await read('live'), /Apply for live The business is verified\. ✓ done/)
})

test('each page of a tenant that works in live', async (t) => {
  const api = await startIssuingApi()
  const things = await furnish(api, api.live)
  const { tenantId } = api.live
  const { cookie } = await enterAs(api, 'owner', tenantId)
  const root = '/d/' + tenantId + '/live'
  const browser = await openBrowser(t)
  const { page, errors } = await openSignedIn(browser, { api, cookie }, { width: 1280 })
  // People, invitations and certifications of the furnished tenant are of the sandbox.
  const elsewhere = /^\/(?:people|invitations)\/:id|:certification/
  for (const { path } of PAGES.filter(isOf('live'))) {
    if (elsewhere.test(path)) continue
    const name = 'live' + path.replaceAll(/[/:]+/g, '-')
    const shown = await page.goto(api.url + addressOf({ root, things }, path))
    t.equal(shown?.status(), 200, name)
    t.same(await problemsOf(page, path, name), [], name)
  }
  t.same(errors, [])
})
