// From sign-up to the first authorization on the live page, as a newcomer goes the way: everything
// that `npm start` runs, one browser with a passkey, and no call beside the pages.
import { test } from 'tap'
import { openBrowser, openWatched, picture } from '../harness/browser.ts'
import { noteForeign, openTab } from '../harness/dashboard.ts'
import { freePorts } from '../harness/free-ports.ts'
import { plugDevice } from '../harness/member-passkeys.ts'
import { putMigratedPostgres } from '../harness/migrated-postgres.ts'
import { newDataDir, processesOf, start } from '../harness/start.ts'
import { until } from '../harness/until.ts'

test('a person signs up and sees the first authorization arrive', async (t) => {
  const dataDir = newDataDir(t)
  await putMigratedPostgres(dataDir)
  const [api = 0, engine = 0] = await freePorts(2)
  const ports = { SVC_API_PORT: String(api), SVC_ENGINE_PORT: String(engine) }
  const running = start(dataDir, ports, ['--no-burst'])
  t.teardown(() => running.child.kill('SIGKILL'))
  const { auth_url: url } = await running.sandbox()
  const browser = await openBrowser(t)
  const watched = await openWatched(browser, { width: 1280 })
  const { page, errors } = watched
  noteForeign(watched, url)
  await plugDevice(page)

  await page.goto(url + '/sign-up')
  await page.getByLabel('Email').fill('grace@newcomer.example')
  await page.getByLabel('Your name').fill('Grace')
  await page.getByLabel('Company').fill('New Ltd')
  await page.getByLabel('Country').fill('DE')
  await page.getByRole('button', { name: 'Use a passkey instead' }).click()
  await page.getByRole('button', { name: 'Create the passkey' }).click()
  await page.getByRole('heading', { name: 'Keep your recovery codes' }).waitFor()

  await page.goto(url + '/d')
  await page.waitForURL(/sandbox\/overview$/)
  const root = page.url().replace(/\/overview$/, '')
  // A panel that a busy machine made late is asked again.
  await until(async () => {
    await page.goto(root + '/overview')
    return (await page.getByText('Nothing happened yet.').count()) > 0
  }, 60_000)
  await picture(page, 'newcomer-overview-1280')
  const live = await openTab(watched, url)
  await live.goto(root + '/live')
  await live.waitForSelector('#live[data-feed=open]')

  await page.getByRole('link', { name: 'Add a cardholder' }).click()
  await page.getByLabel('First name').fill('Ada')
  await page.getByLabel('Last name').fill('Lovelace')
  for (const [label, value] of [
    ['Born', '1990-12-10'],
    ['Street', '12 St James Square'],
    ['Postal code', 'SW1Y 4JH'],
    ['City', 'London'],
  ] as const)
    await page.getByLabel(label).fill(value)
  await page.locator('input[name=country]').fill('GB')
  await page.getByRole('button', { name: 'Add the cardholder' }).click()
  await page.waitForURL(/cardholders\/ch_\w+\?done=/)
  t.equal(await page.getByRole('button', { name: 'Check the identity' }).count(), 0, 'it has begun')
  // The form stands there once the check of the identity has ended well.
  const path = new URL(page.url()).pathname
  await until(async () => {
    await page.goto(url + path)
    return (await page.locator('summary', { hasText: 'Issue a virtual card' }).count()) > 0
  }, 60_000)
  await page.locator('summary', { hasText: 'Issue a virtual card' }).click()
  await page.getByRole('button', { name: 'Issue the card' }).click()
  await page.waitForURL(/cards\/card_\w+\?done=/)

  await until(async () => {
    await page.goto(root + '/sandbox')
    return (await page.getByLabel('Merchant', { exact: true }).count()) > 0
  }, 60_000)
  await page.getByLabel('Merchant', { exact: true }).fill('First Shop')
  await page.getByRole('button', { name: 'Send', exact: true }).click()
  await page.getByRole('heading', { name: 'The network was answered' }).waitFor()
  t.match(await page.locator('pre').first().innerText(), '"approved": true')
  const rows = live.locator('#live-rows tr')
  await until(async () => (await rows.count()) > 0)
  t.match(await rows.first().innerText(), /First Shop[\s\S]*12\.50 USD[\s\S]*approved|authorized/)
  await picture(live, 'newcomer-live-1280')
  await rows.first().locator('a').click()
  await live.getByRole('heading', { name: /First Shop, 12\.50 USD/ }).waitFor()
  // A busy service puts off a feed, which dials again by itself.
  const unexpected = errors.filter((text) => !text.includes('status of 503'))
  t.same(unexpected, [])
  await browser.close()
  running.child.kill('SIGTERM')
  t.equal(await running.exited, 0)
  t.same(processesOf(dataDir), [])
})
