// A card's number and PIN in a browser: a second factor, one showing, and nothing of it afterwards
// in the page, the history, the storage, the log or the database.
import type { Page } from 'playwright-core'
import { test } from 'tap'
import { openBrowser, picture } from '../../harness/browser.ts'
import {
  enterAs,
  openSignedIn,
  startDashboard,
  type TestDashboard,
} from '../../harness/dashboard.ts'
import { issue, printedOn } from '../../harness/issuing.ts'
import { axeProblems } from '../../harness/judge.ts'
import { until } from '../../harness/until.ts'
import { visit } from '../../harness/visit.ts'

/** Approves the page that asks for a second factor. */
async function approve(page: Page, { api, person }: TestDashboard): Promise<void> {
  await page.waitForSelector('input[name=code]')
  await page.fill('input[name=code]', person.codeAt(api.clock.nowMs))
  await page.locator('main button.primary').press('Enter')
  api.clock.nowMs += 30_000
}

for (const scripts of [true, false])
  test('a number is shown once, ' + (scripts ? 'with' : 'without') + ' scripts', async (t) => {
    const dashboard = await startDashboard()
    const { api, root, person } = dashboard
    const { id } = await issue(api, 'virtual')
    const { pan, cvc } = await printedOn(api, id)
    const spaced = pan.replaceAll(/(\d{4})(?=\d)/g, '$1 ')
    const browser = await openBrowser(t)
    const { page, errors } = await openSignedIn(browser, dashboard, { width: 390, scripts })
    await page.goto(api.url + root + '/cards/' + id)
    await page.getByRole('button', { name: 'Show the number' }).press('Enter')
    await approve(page, dashboard)
    await page.waitForSelector('iframe')
    if (!scripts) await page.getByRole('button', { name: 'Show it now' }).press('Enter')
    const frame = page.frameLocator('iframe')
    t.equal(await frame.locator('dd').first().innerText(), spaced)
    t.equal(await frame.locator('dd').last().innerText(), cvc)
    await picture(page, 'card-number-390')
    t.notMatch(await page.content(), pan)
    t.notMatch(page.url(), /rvl_/)
    if (scripts) {
      t.same(await axeProblems(page), [])
      t.notMatch(await page.content(), /rvl_/, 'the token left the page with its use')
      const reach = `(() => { try { return String(frames[0].document.body.innerText) }
        catch (error) { return error.name } })()`
      t.equal(await page.evaluate(reach), 'SecurityError', 'no script of ours reads the frame')
    }
    await page.reload()
    t.match(await page.locator('main').innerText(), 'The number was shown before')
    t.equal(await page.locator('iframe').count(), 0)
    const rows = await api.sql`
      select action, actor_type, actor_id, approved_by from audit_log
      where resource_id = ${id} and action like '%reveal%' order by seq`
    t.same(
      [...rows],
      [
        ['POST /v1/cards/:id/reveal_tokens', person.id],
        ['POST /v1/card_reveals', null],
      ].map(([action, approved_by]) => ({
        ...{ action, actor_type: 'person', actor_id: person.id, approved_by },
      })),
    )
    t.same(errors, [])
  })

test('a frame with a number empties itself after its time', async (t) => {
  const dashboard = await startDashboard()
  const { api, root } = dashboard
  const { id } = await issue(api, 'virtual')
  const browser = await openBrowser(t)
  const { page, errors } = await openSignedIn(browser, dashboard, { width: 1280 })
  await page.route('**/number', async (route) => {
    const answer = await route.fetch()
    const text = await answer.text()
    t.match(text, '<dl>')
    t.match(text, 'content="30; url=about:blank"')
    // Its half minute passes in two seconds.
    await route.fulfill({ response: answer, body: text.replace('content="30;', 'content="02;') })
  })
  const shown: string[] = []
  page.on('framenavigated', (frame) => {
    if (frame !== page.mainFrame()) shown.push(frame.url().split('/').at(-1) ?? '')
  })
  await page.goto(api.url + root + '/cards/' + id)
  await page.getByRole('button', { name: 'Show the number' }).press('Enter')
  await approve(page, dashboard)
  await until(() => shown.includes('number') && shown.at(-1) === 'about:blank', 120_000)
  t.equal(page.frames().at(-1)?.url(), 'about:blank')
  t.same(errors, [])
})

test('a token of another card, an old one and rubbish show nothing', async (t) => {
  const { api, cookie, root } = await startDashboard()
  const { id } = await issue(api, 'virtual')
  const path = root + '/cards/' + id + '/number'
  for (const token of ['', 'rvl_unknown', '<b>', 'rvl_' + 'A'.repeat(43)]) {
    const answer = await visit(api, path, { cookie, form: { token } })
    t.equal(answer.status, 200)
    t.match(answer.headers.get('content-security-policy'), /default-src 'none'.*sandbox/)
    t.equal(answer.headers.get('cache-control'), 'no-store')
    t.match(await answer.text(), 'The number was shown before')
  }
  t.equal((await visit(api, path, { cookie })).status, 404, 'no address shows a number')
  t.equal((await visit(api, path, { cookie, headers: { origin: 'null' }, form: {} })).status, 403)
})

test('a PIN is typed twice, set, and stands in no page', async (t) => {
  const dashboard = await startDashboard()
  const { api, root } = dashboard
  const { id } = await issue(api, 'virtual')
  const browser = await openBrowser(t)
  const { page, errors } = await openSignedIn(browser, dashboard, { width: 1280, dark: true })
  const set = async (first: string, second: string): Promise<string> => {
    await page.goto(api.url + root + '/cards/' + id)
    await page.getByRole('button', { name: 'Set the PIN…' }).press('Enter')
    await page.locator('#set-pin input[name=pin]').fill(first)
    await page.locator('#set-pin button.primary').press('Enter')
    await page.waitForSelector('input[name=code]')
    t.notMatch(await page.content(), first, 'the page does not repeat the PIN')
    await page.fill('input[name=pin]', second)
    await picture(page, 'card-pin-confirm-1280-dark')
    await approve(page, dashboard)
    await page.waitForLoadState()
    return page.locator('main').innerText()
  }
  t.match(await set('71935', '71936'), 'Confirm that it is you', 'an approval is for one PIN')
  const [before] = await api.sql`select pin_verifier from cards where id = ${id}`
  t.equal(before?.['pin_verifier'], null)
  t.match(await set('82641', '82641'), 'The PIN is set.')
  const [after] = await api.sql`select pin_verifier from cards where id = ${id}`
  t.ok(after?.['pin_verifier'])
  const challenges = await api.sql`select c::text as text from factor_challenges c`
  t.notMatch(JSON.stringify(challenges), /82641|71935/)
  t.same(errors, [])
})

test('only roles that may write cards see number and PIN; keys need no factor', async (t) => {
  const { api, root } = await startDashboard()
  const { id } = await issue(api, 'virtual')
  for (const role of ['analyst', 'support'] as const) {
    const { cookie } = await enterAs(api, role)
    const page = await (await visit(api, root + '/cards/' + id, { cookie })).text()
    t.notMatch(page, 'Show the number')
    const form = { form_id: 'f'.repeat(24) }
    const answer = await visit(api, root + '/cards/' + id + '/reveal', { cookie, form })
    t.equal(answer.status, 403)
  }
  const path = '/v1/cards/' + id + '/reveal_tokens'
  t.equal((await api.call('POST', path, { key: api.tenant.keys.write, body: {} })).status, 201)
})
