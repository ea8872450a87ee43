// Dispatchers and their database connections are killed under load: every event arrives, none too
// often.
import { test } from 'tap'
import { addressRound } from '../../api/webhooks/delivery/address.ts'
import { claimDeliveries } from '../../api/webhooks/delivery/claim.ts'
import { recoverAbandoned } from '../../api/webhooks/delivery/recover.ts'
import { sleep, systemClock } from '../../shared/clock.ts'
import { openWebhookReceiver, type Received } from '../fakes/webhook-receiver.ts'
import {
  addEndpoint,
  addTenant,
  type DispatcherProcess,
  killDispatcher,
  recordEvents,
  startDispatcher,
} from '../harness/dispatcher-process.ts'
import { repeats } from '../harness/long.ts'
import { pacingAt } from '../harness/pacing.ts'
import { file } from '../harness/per-file.ts'
import { openTestDatabase } from '../harness/postgres.ts'
import { until } from '../harness/until.ts'

const KILLS = repeats(3, 6)
const DROPS = repeats(5, 20)
const KILLED = 6
const TENANTS = 4

const { sql, url: databaseUrl } = await openTestDatabase(file)
const receiver = await openWebhookReceiver()
file.teardown(() => receiver.close())

/** Arrivals per event at one path. */
function arrivals(path: string): Map<string, Received[]> {
  return Map.groupBy(receiver.at(path), ({ headers }) => String(headers['svc-event-id']))
}

async function unfinished(): Promise<number> {
  const [row] = await sql<{ count: number }[]>`
    select (select count(*) from event_outbox) + (
      select count(*) from deliveries where state = 'pending' or lease_token is not null
    ) as count
  `
  return row?.count ?? -1
}

test('kills of the dispatcher lose no event, and no delivery has more than five attempts', async (t) => {
  const tenants = await Promise.all(Array.from({ length: TENANTS }, () => addTenant(sql)))
  for (const tenantId of tenants) {
    await addEndpoint(sql, { tenantId, url: receiver.url + '/' + tenantId })
    // Slow enough that a kill finds attempts under way.
    receiver.reply('/' + tenantId, () => ({ status: 200, delayMs: 30 }))
  }
  const recorded = new Map<string, string[]>(tenants.map((tenantId) => [tenantId, []]))
  let recording = true
  const recorder = (async () => {
    // Slower than a tenant's pace: a backlog would be waited for in the end.
    while (recording) {
      for (const tenantId of tenants)
        recorded.get(tenantId)?.push(...(await recordEvents(sql, { tenantId, count: 1 })))
      await sleep(15)
    }
  })()

  // The next one starts while the one before still works: a process takes its time until it is
  // ready.
  let current = await startDispatcher(databaseUrl)
  for (let kill = 0; kill < KILLS; kill++) {
    const next = startDispatcher(databaseUrl)
    const before = receiver.at('/' + tenants[0]).length
    await until(() => receiver.at('/' + tenants[0]).length >= before + 5)
    await killDispatcher(current)
    current = await next
  }
  recording = false
  await recorder
  await until(async () => (await unfinished()) === 0)
  current.child.kill('SIGTERM')
  await current.exited

  for (const tenantId of tenants) {
    const arrived = arrivals('/' + tenantId)
    t.strictSame(new Set(arrived.keys()), new Set(recorded.get(tenantId)), 'each event, no other')
    t.ok([...arrived.values()].every((tries) => tries.length <= 5))
  }
  const [sum] = await sql`
    select count(*) filter (where state <> 'succeeded') as lost, max(attempts) <= 5 as bounded,
      (select count(*) from webhook_endpoints where status = 'disabled') as disabled,
      (select max(n) from delivery_attempts) <= 5 as logged,
      (select count(*) from delivery_attempts where error_class = 'interrupted') as interrupted
    from deliveries
  `
  t.match(sum, { lost: 0, bounded: true, disabled: 0, logged: true })
  t.ok(sum?.['interrupted'] > 0, 'the kills did cut attempts off')
  t.comment(sum?.['interrupted'] + ' attempts were cut off')
})

let pair: [DispatcherProcess, DispatcherProcess]

test('five cut-off attempts open a new cycle and never disable the endpoint', async (t) => {
  const tenantId = await addTenant(sql)
  const { id: endpointId } = await addEndpoint(sql, { tenantId, url: receiver.url + '/cut-off' })
  const [eventId = ''] = await recordEvents(sql, { tenantId, count: 1 })
  const now = systemClock.nowMs()
  const schedule = { delaysMs: [0, 0, 0, 0, 0], random: () => 0 }
  // Six times a dispatcher dies between its claim and its record, which leaves a lease without a
  // living owner.
  const tenants = [{ tenantId, environment: 'sandbox' }]
  const round = { tenants, eventsMax: 1, now, pacing: pacingAt(now), schedule, owner: 'dsp_killed' }
  await addressRound(sql, { ...round, admit: () => true })
  for (let kill = 1; kill <= KILLED; kill++) {
    const taken = { owner: 'dsp_next', inFlight: [], steady: false, now }
    t.ok((await recoverAbandoned(sql, taken)) > 0)
    if (kill === KILLED) break
    const shares = [{ tenantId, endpointId, quota: 16, bulk: 15, retries: [4, 4] as const }]
    const claimed = await claimDeliveries(sql, { owner: 'dsp_killed', shares, now })
    t.match(claimed, [{ eventId, attempt: kill === 5 ? 1 : kill + 1 }])
  }
  const debug = { SVC_LOG_LEVEL: 'debug' }
  pair = await Promise.all([
    startDispatcher(databaseUrl, debug),
    startDispatcher(databaseUrl, debug),
  ])
  await until(async () => (await unfinished()) === 0)
  const [delivery] =
    await sql`select state, cycle, attempts from deliveries where event_id = ${eventId}`
  t.strictSame({ ...delivery }, { state: 'succeeded', cycle: 2, attempts: 2 })
  const [endpoint] = await sql`select status from webhook_endpoints where tenant_id = ${tenantId}`
  t.equal(endpoint?.['status'], 'enabled')
  const logged = await sql`
    select a.cycle, n, error_class from delivery_attempts a join deliveries d on d.id = a.delivery_id
    where d.event_id = ${eventId} order by a.cycle, a.n`
  const names = logged.map((row) => [row['cycle'], row['n'], row['error_class']].join(' '))
  const cutOff = ['1 1', '1 2', '1 3', '1 4', '1 5', '2 1'].map(
    (attempt) => attempt + ' interrupted',
  )
  t.strictSame(names, [...cutOff, '2 2 '])
  t.strictSame(
    receiver.at('/cut-off').map(({ headers }) => headers['svc-attempt']),
    ['2/5'],
  )
})

test('two dispatchers share the work without sending twice, and one takes over when the other dies', async (t) => {
  const tenantId = await addTenant(sql)
  for (const path of ['/x', '/y']) {
    await addEndpoint(sql, { tenantId, url: receiver.url + path })
    receiver.reply(path, () => ({ status: 200, delayMs: 20 }))
  }
  const both = await recordEvents(sql, { tenantId, count: 150 })
  await until(async () => (await unfinished()) === 0)
  for (const path of ['/x', '/y']) {
    t.equal(receiver.at(path).length, both.length, 'each event once')
    t.strictSame(new Set(arrivals(path).keys()), new Set(both))
  }

  t.ok(
    pair.every((dispatcher) => dispatcher.log().includes('"msg":"succeeded"')),
    'both worked',
  )

  const after = await recordEvents(sql, { tenantId, count: 60 })
  await killDispatcher(pair[0])
  await until(async () => (await unfinished()) === 0)
  t.strictSame(new Set(arrivals('/x').keys()), new Set([...both, ...after]))
})

test('a dispatcher delivers everything while its database drops every connection repeatedly', async (t) => {
  const tenantId = await addTenant(sql)
  await addEndpoint(sql, { tenantId, url: receiver.url + '/dropped' })
  const [, dispatcher] = pair
  const ids: string[] = []
  for (let drop = 0; drop < DROPS; drop++) {
    ids.push(...(await recordEvents(sql, { tenantId, count: 10 })))
    await sql`
      select pg_terminate_backend(pid) from pg_stat_activity
      where application_name = 'svc-dispatcher' and datname = current_database()
    `
  }
  await until(() => arrivals('/dropped').size === ids.length)
  t.strictSame(new Set(arrivals('/dropped').keys()), new Set(ids))
  t.ok([...arrivals('/dropped').values()].every((tries) => tries.length <= 5))
  t.equal(dispatcher.child.exitCode, null, 'the process lives on')
  await killDispatcher(dispatcher)
})
