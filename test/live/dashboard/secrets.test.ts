// Effects that need a second factor, and secrets that are shown once, in a browser.
import { test } from 'tap'
import { openBrowser } from '../../harness/browser.ts'
import { openSignedIn, startDashboard } from '../../harness/dashboard.ts'

test('30: a key is made with a code, and its secret is shown this once', async (t) => {
  const dashboard = await startDashboard()
  const { api, root, person } = dashboard
  const browser = await openBrowser(t)
  const { page, errors } = await openSignedIn(browser, dashboard, { width: 1280 })
  const answers: { url: string; status: number; cache: string | undefined }[] = []
  page.on('response', (answer) => {
    if (!answer.url().includes('/assets/'))
      answers.push({
        url: answer.url(),
        status: answer.status(),
        cache: answer.headers()['cache-control'],
      })
  })
  await page.goto(api.url + root + '/keys/new')
  await page.fill('input[name=name]', 'Ledger')
  await page.click('main button.primary')
  await page.waitForSelector('input[name=code]')
  t.match(await page.locator('main').innerText(), /Make an API key\.[\s\S]*exactly this, once/)
  const wrong = person.codeAt(api.clock.nowMs) === '000000' ? '111111' : '000000'
  await page.fill('input[name=code]', wrong)
  await page.click('main button.primary')
  await page.waitForSelector('.notice.bad:not([hidden])')
  t.match(await page.locator('main').innerText(), 'That did not match.')
  const before = await countKeys()
  await page.fill('input[name=code]', person.codeAt(api.clock.nowMs))
  await page.dblclick('main button.primary')
  await page.waitForSelector('[data-secret]')
  const secret = await page.locator('[data-secret] code').innerText()
  t.match(secret, /^svc_sk_sandbox_/)
  t.equal((await api.call('GET', '/v1/account', { key: secret })).status, 200)
  const after = await countKeys()
  t.equal(after - before, 1, 'a double click makes one key')
  t.equal(answers.at(-1)?.status, 201)
  t.same(
    answers.filter(({ cache }) => cache !== 'no-store'),
    [],
    'nothing may keep a page',
  )
  const stored = await page.evaluate<string>(
    'JSON.stringify([{ ...localStorage }, { ...sessionStorage }, history.state, document.cookie])',
  )
  t.notMatch(stored, secret)
  t.notMatch(page.url(), secret)

  await page.reload()
  t.notMatch(await page.content(), secret, 'a reload repeats the form, and shows no secret')
  t.match(await page.locator('main').innerText(), 'The secret was shown before')
  await page.goto(api.url + root + '/keys')
  t.match(await page.locator('main').innerText(), 'Ledger')
  t.notMatch(await page.content(), secret)
  // The browser kept nothing of the page: it would have to send the form again.
  await t.rejects(page.goBack(), /ERR_CACHE_MISS/)
  t.equal(await countKeys(), after, 'no other key was made')
  const [row] = await api.sql`
    select actor_type, actor_id from audit_log
    where tenant_id = ${api.tenant.tenantId} and action = 'POST /v1/api_keys'
    order by seq desc limit 1`
  t.same(row, { actor_type: 'person', actor_id: person.id })
  t.same(
    errors.filter((text) => !text.includes('422')),
    [],
  )

  async function countKeys(): Promise<number> {
    const [row] = await api.sql<{ count: number }[]>`
      select count(*)::int as count from api_keys where tenant_id = ${api.tenant.tenantId}`
    return row?.count ?? 0
  }
})
