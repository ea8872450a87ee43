// Plays the service from outside until each event type of Spec 6.2 has arrived at a webhook
// receiver by its real cause: the API, the card network, wallets, a holder's telephone, the chain,
// the identity provider, the payment processor and operators, as `npm start` brings them up.
import { randomBytes } from 'node:crypto'
import { type Test, test } from 'tap'
import { hasAnvil } from '../../scripts/chain-peer/anvil.ts'
import { freshAddress } from '../../scripts/chain-peer/deploy.ts'
import { openApi } from '../../scripts/simulate/api.ts'
import { locateService } from '../../scripts/simulate/locate.ts'
import { openNetwork } from '../../scripts/simulate/network.ts'
import { OwnTenant } from '../../scripts/simulate/own-tenant.ts'
import type { Surroundings } from '../../scripts/simulate/sandbox.ts'
import { Stage } from '../../scripts/simulate/stage.ts'
import { systemClock } from '../../shared/clock.ts'
import { AUTHORIZATION_REQUEST_TYPE, EVENT_TYPE_NAMES } from '../../shared/event-catalog.ts'
import { playBilling, playKeysAndEndpoints, playPrograms } from '../harness/events/account.ts'
import { playCardholders, playCards, playPurchases } from '../harness/events/cards.ts'
import { EventTable } from '../harness/events/event-table.ts'
import { playPasses } from '../harness/events/passes.ts'
import { playPayments } from '../harness/events/payments.ts'
import { freePorts } from '../harness/free-ports.ts'
import { putMigratedPostgres } from '../harness/migrated-postgres.ts'
import { newDataDir, start } from '../harness/start.ts'
import { openWebhookReceiver } from '../harness/webhook-receiver.ts'

/** The simulator's cards are made in the background; a busy machine takes longer. */
async function locatedService(dataDir: string, tries = 3): Promise<Surroundings> {
  const located = await locateService({ 'data-dir': dataDir })
  if (located.ok) return located.value
  if (tries > 1) return locatedService(dataDir, tries - 1)
  throw new Error(located.error)
}

async function openStage(t: Test, dataDir: string): Promise<Stage> {
  const surroundings = await locatedService(dataDir)
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

test('each event type arrives at a receiver by its real cause', async (t) => {
  if (!hasAnvil) return t.comment('A chain needs anvil, which npm has for Linux x64 only.')
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
  t.teardown(async () => {
    service.child.kill('SIGTERM')
    await service.exited
  })
  await service.sandbox()
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
})
