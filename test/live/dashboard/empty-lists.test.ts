// Empty lists: each says what would fill it, and shows the command of the call that makes its first
// row.
import { test } from 'tap'
import { curlOf } from '../../../api/dashboard/curl.ts'
import { FIRST_ROWS } from '../../../api/dashboard/first-rows.ts'
import type { Call, Visit } from '../../../api/dashboard/page.ts'
import { PAGES } from '../../../api/dashboard/pages/table.ts'
import { newId } from '../../../shared/id.ts'
import { openBrowser, picture } from '../../harness/browser.ts'
import { refusalOf, sendCommand } from '../../harness/curl.ts'
import { enterAs, openSignedIn } from '../../harness/dashboard.ts'
import { startIssuingApi } from '../../harness/issuing.ts'
import { axeProblems } from '../../harness/judge.ts'
import { overflows } from '../../harness/looks.ts'

/** Lists that are never empty: their reader is a person of the tenant who signed in. */
const NEVER_EMPTY = ['/people']

async function openBare() {
  const api = await startIssuingApi()
  const tenantId = newId('ten', api.clock.nowMs)
  await api.sql`
    insert into tenants (id, name, api_version, created_at)
    values (${tenantId}, 'Bare', '2026-12-01', ${api.clock.nowMs})`
  const { cookie } = await enterAs(api, 'owner', tenantId)
  return { api, cookie, root: '/d/' + tenantId + '/' }
}

test('each empty list says what fills it, and how', async (t) => {
  const { api, cookie, root } = await openBare()
  const browser = await openBrowser(t)
  const { page, errors } = await openSignedIn(browser, { api, cookie }, { width: 1280 })
  const lists = PAGES.filter(({ rows }) => rows !== undefined)
  t.ok(lists.length >= 20)
  for (const { path } of lists.filter(({ path }) => !NEVER_EMPTY.includes(path))) {
    await page.goto(api.url + root + 'sandbox' + path)
    const empty = page.locator('.empty', { hasText: /From your server, with|leads a person/ })
    t.equal(await empty.count(), 1, path)
    const keys = path === '/connections' ? 0 : 1
    t.equal(await empty.locator('p a', { hasText: 'API key' }).count(), keys, path)
    t.match(await empty.locator('p').first().innerText(), /\w+ \w+ \w+.*\.$/, path)
    const command = await empty.locator('.code code').innerText()
    t.match(command, /^(?:curl |open )'?\S*https?:\/\/|^curl -X POST 'https?:\/\//, path)
    t.equal(await page.locator('table').count(), 0, path)
  }
  for (const [width, dark] of [
    [1280, false],
    [390, true],
  ] as const) {
    await page.setViewportSize({ width, height: 900 })
    await page.emulateMedia({ colorScheme: dark ? 'dark' : 'light' })
    await page.goto(api.url + root + 'sandbox/templates')
    await picture(page, 'empty-list-' + width + (dark ? '-dark' : ''))
    t.same(await axeProblems(page), [])
    t.equal(await overflows(page), false)
  }
  await page.goto(api.url + root + 'sandbox/cards?status=active')
  t.match(await page.locator('.empty').innerText(), 'Nothing matches these filters.')
  t.equal(await page.locator('.empty .code').count(), 0, 'a filter is no empty list')
  await page.goto(api.url + root + 'live/transactions')
  t.match(await page.locator('.empty').innerText(), 'No card was used yet.')
  t.equal(await page.locator('.empty .code').count(), 0, 'live has no simulator')
  t.same(errors, [])
})

test('the call of each first row is one that the API takes', async (t) => {
  const api = await startIssuingApi()
  api.names.find = async () => ({ ok: true, addresses: ['93.184.216.34'] }) as never
  const sandbox = { environment: 'sandbox' } as Visit
  for (const [list, first] of Object.entries(FIRST_ROWS)) {
    const call: Call | null = typeof first === 'function' ? first(sandbox) : first
    if (call === null) throw new Error(list + ' has a first row in the sandbox')
    const text = curlOf('http://127.0.0.1', call)
    const answer = await sendCommand(api, text, api.tenant.keys.admin)
    // A refused call is the first row of its list.
    if (list === 'listRefusedCalls') t.equal(answer.status, 404)
    else t.equal(refusalOf(text, answer), null, list)
  }
})
