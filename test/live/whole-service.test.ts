// The whole service from outside, as `npm start` brings it up. A newcomer goes from sign-up to the
// first authorization on the live page. Then each event type of Spec 6.2 arrives at a webhook
// receiver by its real cause: the API, the card network, wallets, a holder's telephone, the chain,
// the identity provider, the payment processor and operators.
import { randomBytes } from 'node:crypto'
import { type Test, test } from 'tap'
import { hasAnvil } from '../../scripts/chain-peer/anvil.ts'
import { freshAddress } from '../../scripts/chain-peer/deploy.ts'
import { openApi } from '../../scripts/simulate/api.ts'
import { locateService } from '../../scripts/simulate/locate.ts'
import { openNetwork } from '../../scripts/simulate/network.ts'
import { OwnTenant } from '../../scripts/simulate/own-tenant.ts'
import { Stage } from '../../scripts/simulate/stage.ts'
import { systemClock } from '../../shared/clock.ts'
import { AUTHORIZATION_REQUEST_TYPE, EVENT_TYPE_NAMES } from '../../shared/event-catalog.ts'
import { openBrowser, openWatched, picture } from '../harness/browser.ts'
import { noteForeign, openTab } from '../harness/dashboard.ts'
import { playBilling, playKeysAndEndpoints, playPrograms } from '../harness/events/account.ts'
import { playCardholders, playCards, playPurchases } from '../harness/events/cards.ts'
import { EventTable } from '../harness/events/event-table.ts'
import { playPasses } from '../harness/events/passes.ts'
import { playPayments } from '../harness/events/payments.ts'
import { freePorts } from '../harness/free-ports.ts'
import { plugDevice } from '../harness/member-passkeys.ts'
import { putMigratedPostgres } from '../harness/migrated-postgres.ts'
import { furnished, newDataDir, processesOf, start } from '../harness/start.ts'
import { until } from '../harness/until.ts'
import { openWebhookReceiver } from '../harness/webhook-receiver.ts'

async function openStage(t: Test, dataDir: string): Promise<Stage> {
  const located = await locateService({ 'data-dir': dataDir })
  if (!located.ok) throw new Error(located.error)
  const surroundings = located.value
  const { sandbox } = surroundings
  const network = openNetwork(sandbox, systemClock, 4)
  const api = openApi(sandbox)
  const stage = new Stage({
    ...{ surroundings, network, api, clock: systemClock },
    signal: new AbortController().signal,
    openTenant: () => Promise.reject(new Error('the receiver is the tenant')),
  })
  t.teardown(async () => {
    await stage.end()
    network.close()
    await api.close()
  })
  return stage
}

test('a newcomer and a receiver meet the whole service', async (t) => {
  const dataDir = newDataDir(t)
  await putMigratedPostgres(dataDir)
  const [api, engine] = await freePorts(2)
  const service = start(
    dataDir,
    {
      ...{ SVC_API_PORT: String(api), SVC_ENGINE_PORT: String(engine) },
      SVC_WEBHOOK_RETRY_DELAYS: '0,1s,1s,1s,1s',
    },
    ['--no-burst'],
  )
  t.teardown(() => service.child.kill('SIGKILL'))
  const { auth_url: url } = await service.sandbox()
  await furnished(service)
  await t.test('a person signs up and sees the first authorization arrive', (t) => signUp(t, url))
  await t.test('each event type arrives at a receiver by its real cause', (t) =>
    playEvents(t, dataDir),
  )
  service.child.kill('SIGTERM')
  t.equal(await service.exited, 0)
  t.same(processesOf(dataDir), [])
})

/** One browser with a passkey, and no call beside the pages. */
async function signUp(t: Test, url: string): Promise<void> {
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
}

async function playEvents(t: Test, dataDir: string): Promise<void> {
  if (!hasAnvil) return void t.comment('A chain needs anvil, which npm has for Linux x64 only.')
  const stage = await openStage(t, dataDir)
  const { sandbox } = stage.surroundings
  const receiver = await openWebhookReceiver(t)
  receiver.secrets.push(sandbox.realtime_endpoint.secret)
  await stage.moveEndpoint(receiver.url)
  const own = await OwnTenant.open(sandbox, 'Events ' + randomBytes(4).toString('hex'))
  t.teardown(() => own.close())
  const endpoint = await own.call('POST', '/v1/webhook_endpoints', { url: receiver.url })
  receiver.secrets.push(String(endpoint['secret']))

  const table = new EventTable(receiver)
  const world = { stage, own, table, receiver }
  await Promise.all([
    playPasses(world),
    playCardholders(world),
    playCards(world).then(() => playPurchases(world)),
    playPayments(world, freshAddress()),
    playPrograms(world)
      .then(() => playKeysAndEndpoints(world))
      .then(() => playBilling(world)),
  ])
  t.same(stage.mismatches, [])
  t.comment('\n' + table.text())
  const expected = [...EVENT_TYPE_NAMES, AUTHORIZATION_REQUEST_TYPE].sort()
  t.same(table.types().sort(), expected, 'all ' + expected.length + ' types arrived')
  t.equal(expected.length, 56)
  t.equal(receiver.unverified, 0, 'each delivery carried a signature that verifies')
}
