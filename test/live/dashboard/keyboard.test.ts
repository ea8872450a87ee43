// The dashboard by keyboard alone: the walk of the Tab key, menus, dialogs, search and the keys.
import { test } from 'tap'
import { openBrowser } from '../../harness/browser.ts'
import { openSignedIn, startDashboard } from '../../harness/dashboard.ts'
import { seedTransaction } from '../../harness/drained.ts'
import { keyboardProblems } from '../../harness/looks.ts'
import { until } from '../../harness/until.ts'

test('the Tab key reaches every control of a list, a resource and a form', async (t) => {
  const dashboard = await startDashboard()
  const browser = await openBrowser(t)
  const { page, errors } = await openSignedIn(browser, dashboard, { width: 1280 })
  const card = '/cards/' + dashboard.things.get('cards')
  for (const path of ['/transactions', card, '/keys/new']) {
    await page.goto(dashboard.api.url + dashboard.root + path)
    await page.evaluate(`for (const each of document.querySelectorAll('details')) each.open = true`)
    t.same(await keyboardProblems(page), [], path)
  }
  t.same(errors, [])
})

test('a card is suspended by keyboard alone', async (t) => {
  const dashboard = await startDashboard()
  const { api, root, things } = dashboard
  const browser = await openBrowser(t)
  const { page, errors } = await openSignedIn(browser, dashboard, { width: 1280 })
  await page.goto(api.url + root + '/overview')
  await page.keyboard.press('Tab')
  t.match(await page.locator(':focus').innerText(), 'Skip to the content')
  await page.keyboard.press('Enter')
  t.equal(await page.locator(':focus').getAttribute('id'), 'content')
  await page.keyboard.press('/')
  await page.keyboard.type(things.get('cards') ?? '')
  await page.keyboard.press('Enter')
  await page.waitForURL('**/cards/card_*')
  await page.locator('[commandfor=suspend][command=show-modal]').focus()
  await page.keyboard.press('Enter')
  await page.waitForSelector('dialog[open]')
  await page.keyboard.press('Escape')
  await page.waitForSelector('dialog[open]', { state: 'detached' })
  t.equal(await page.locator(':focus').getAttribute('commandfor'), 'suspend', 'focus returns')
  await page.keyboard.press('Enter')
  await page.waitForSelector('dialog[open]')
  await page.locator('dialog[open] input[name=reason]').focus()
  await page.keyboard.type('lost')
  await page.keyboard.press('Enter')
  await page.waitForURL('**?done=*')
  t.match(await page.locator('main').innerText(), 'The card is suspended.')
  t.same(errors, [])
})

test('keys lead to pages and rows, and can be switched off', async (t) => {
  const dashboard = await startDashboard()
  const { api, root, things } = dashboard
  const browser = await openBrowser(t)
  const { page, errors } = await openSignedIn(browser, dashboard, { width: 1280 })
  await page.goto(api.url + root + '/overview')
  const places = {
    l: 'live',
    t: 'transactions',
    d: 'disputes',
    w: 'webhooks',
    k: 'keys',
    c: 'cards',
  }
  for (const [key, place] of Object.entries(places)) {
    await page.keyboard.press('g')
    await page.keyboard.press(key)
    await page.waitForURL('**/' + place)
  }
  await page.keyboard.press('?')
  await page.waitForSelector('#keys[open]')
  await page.keyboard.press('Escape')
  await page.keyboard.press('u')
  await until(async () => (await page.locator('html[data-local]').count()) === 1)
  t.notMatch(await page.locator('.pager').innerText(), 'UTC', 'a local moment is not called UTC')
  await page.reload()
  t.notMatch(await page.locator('.pager').innerText(), 'UTC', 'the choice holds on every page')
  await page.keyboard.press('u')
  t.match(await page.locator('.pager').innerText(), /As of .* UTC/)
  await page.keyboard.press('Control+k')
  t.equal(await page.locator(':focus').getAttribute('name'), 'q')
  await page.locator('main').focus()
  await page.keyboard.press('j')
  await page.keyboard.press('Enter')
  await page.waitForURL('**/cards/' + things.get('cards'))
  await page.locator('.you summary').focus()
  await page.keyboard.press('Enter')
  await page.locator('button[name=keys][value=off]').focus()
  await page.keyboard.press('Enter')
  await page.waitForLoadState()
  await until(async () => (await page.locator('#keys').count()) === 0)
  await page.keyboard.press('g')
  await page.keyboard.press('l')
  t.match(page.url(), '/cards/', 'keys are off')
  t.same(errors, [])
})

test('keys step through rows, explain a decline, pause the feed and load the page again', async (t) => {
  const dashboard = await startDashboard()
  const { api, root } = dashboard
  for (const amountCents of [1200, 1301, 1400])
    await seedTransaction(api.sql, api.tenant, { amountCents })
  const browser = await openBrowser(t)
  const { page, errors } = await openSignedIn(browser, dashboard, { width: 1280 })
  await page.goto(api.url + root + '/transactions')
  const focused = () => page.evaluate<string>('document.activeElement.closest("tr").innerText')
  await page.keyboard.press('j')
  const first = await focused()
  await page.keyboard.press('j')
  t.not(await focused(), first)
  await page.keyboard.press('k')
  t.equal(await focused(), first, 'k goes back')
  await page.evaluate('window.isOld = true')
  await page.keyboard.press('r')
  // The page that goes away may end the question.
  const isNew = () => page.evaluate<boolean>('window.isOld === undefined').catch(() => false)
  await until(isNew)
  await page.keyboard.press('e')
  await page.waitForURL(/transactions\/txn_/)
  t.match(await page.locator('main').innerText(), 'Why it was declined')
  await page.keyboard.press('g')
  await page.keyboard.press('o')
  await page.waitForURL('**/overview')
  await page.goto(api.url + root + '/live')
  await page.waitForSelector('#live[data-feed=open]')
  await page.keyboard.press('p')
  t.equal(await page.locator('#live-pause').innerText(), 'Go on')
  t.same(errors, [])
})
