// The end of an operator's credential: chosen as a day where the operator is made, moved later, and
// shown with the operators.
import { test } from 'tap'
import { openBrowser, picture } from '../../harness/browser.ts'
import { openSignedIn } from '../../harness/dashboard.ts'
import { perform, startDesk } from '../../harness/operator-desk.ts'
import { visit } from '../../harness/visit.ts'

const DAY_S = 86_400

test('an operator’s credential works until the end of the chosen day', async (t) => {
  const desk = await startDesk()
  const { api, cookie, operator } = desk
  const today = Math.floor(api.clock.nowMs / 1000 / DAY_S)
  const dayText = (day: number) => new Date(day * DAY_S * 1000).toISOString().slice(0, 10)
  const endOf = async (name: string) => {
    const [row] = await api.sql<{ id: string; end: string }[]>`
      select id, expires_at as end from operators where name = ${name}`
    return { id: row?.id ?? '', end: Number(row?.end) / 1000 }
  }
  const make = (name: string, day: string) =>
    perform(desk, 'make_operator', '-', { name, expires_at: day, cidrs: '' })
  t.equal((await make('Chosen', dayText(today + 30))).status, 201)
  const chosen = await endOf('Chosen')
  t.equal(chosen.end, (today + 31) * DAY_S, 'the last day counts whole')
  t.equal((await make('Plain', '')).status, 201)
  const plain = await endOf('Plain')
  t.ok(Math.abs(plain.end - (today + 365) * DAY_S) <= DAY_S, 'without a day: a year')

  const bound = (day: string, cidrs: string) =>
    perform(desk, 'bound_operator', plain.id, { expires_at: day, cidrs })
  t.equal((await bound(dayText(today + 60), '203.0.113.0/24')).status, 303)
  t.equal((await endOf('Plain')).end, (today + 61) * DAY_S)
  t.equal((await bound('', '203.0.113.0/24')).status, 303)
  t.equal((await endOf('Plain')).end, (today + 61) * DAY_S, 'an empty day changes nothing')

  const path = '/operator/do/bound_operator/' + plain.id
  const refused = async (day: string) => {
    const form = { form_id: 'f'.repeat(24), expires_at: day, cidrs: '' }
    const answer = await visit(api, path, { cookie: operator.cookie, form })
    return [answer.status, await answer.text()] as const
  }
  for (const day of ['2027-02-31', 'soon', '2027-1-1', '"><b>']) {
    const [status, text] = await refused(day)
    t.equal(status, 422, day)
    t.match(text, 'Type a day, for example')
    t.notMatch(text, '"><b>')
  }
  for (const day of [dayText(today - 1), dayText(today + 800)])
    t.equal((await bound(day, '')).status, 400, day + ' is refused by the API')

  await api.sql`update operators set expires_at = ${api.clock.nowMs - 1} where id = ${chosen.id}`
  const browser = await openBrowser(t)
  const signedIn = { api, cookie: operator.cookie || cookie }
  const { page, errors } = await openSignedIn(browser, signedIn, { width: 1280, dark: true })
  await page.goto(api.url + '/operator/operators')
  const ground = () => page.evaluate<string>('getComputedStyle(document.body).backgroundColor')
  for (const [theme, color] of [
    ['light', 'rgb(244, 245, 247)'],
    ['dark', 'rgb(14, 16, 20)'],
  ] as const) {
    await page.locator('.you summary').click()
    await Promise.all([
      page.waitForEvent('load'),
      page.getByRole('button', { name: theme, exact: true }).click(),
    ])
    t.equal(await ground(), color, 'operators choose a theme too')
    t.match(page.url(), /operator\/operators$/)
  }
  t.match(await page.locator('tr', { hasText: 'Chosen' }).innerText(), 'expired')
  const row = page.locator('tr', { hasText: 'Plain' })
  const last = new Date((today + 61) * DAY_S * 1000).toISOString()
  t.equal(await row.locator('time').first().getAttribute('datetime'), last)
  t.match(await row.innerText(), '203.0.113.0/24')
  await row.getByRole('button', { name: 'End and addresses' }).click()
  await picture(page, 'operator-end-1280-dark')
  t.equal(await page.locator('dialog[open] input[type=date]').count(), 1)
  t.same(errors, [])
})
