// Events reach tenants: a real dispatcher process, a real PostgreSQL, real receivers.
import { execFileSync } from 'node:child_process'
import { test } from 'tap'
import { tx } from '../../api/database/transaction.ts'
import { saveEndpoint } from '../../api/webhooks/endpoints/store.ts'
import { beginSweep } from '../../api/webhooks/endpoints/sweep-store.ts'
import {
  type ManyEvents,
  recordEvents as recordManyEvents,
} from '../../api/webhooks/events/record-event.ts'
import { systemClock } from '../../shared/clock.ts'
import { verifySignature } from '../../shared/signature.ts'
import { openWebhookReceiver, type Reply } from '../fakes/webhook-receiver.ts'
import {
  addEndpoint,
  addTenant,
  DISPATCHER,
  killDispatcher,
  recordEvents,
  startDispatcher,
} from '../harness/dispatcher-process.ts'
import { file } from '../harness/per-file.ts'
import { openTestDatabase } from '../harness/postgres.ts'
import { until } from '../harness/until.ts'

const { sql, url: databaseUrl } = await openTestDatabase(file)
const receiver = await openWebhookReceiver()
file.teardown(() => receiver.close())
let dispatcher = await startDispatcher(databaseUrl)
file.teardown(() => killDispatcher(dispatcher))

test('each event is sent as its stored bytes, signed with every secret, to subscribed endpoints', async (t) => {
  const tenantId = await addTenant(sql)
  const other = await addTenant(sql)
  const all = await addEndpoint(sql, { tenantId, url: receiver.url + '/all', secretCount: 2 })
  await addEndpoint(sql, { tenantId, url: receiver.url + '/some', eventTypes: ['card.suspended'] })
  await addEndpoint(sql, { tenantId, url: receiver.url + '/live', environment: 'live' })
  await addEndpoint(sql, { tenantId: other, url: receiver.url + '/other' })

  const [first] = await recordEvents(sql, { tenantId, count: 1 })
  const [second] = await recordEvents(sql, { tenantId, count: 1, type: 'card.suspended' })
  await until(() => receiver.at('/all').length === 2 && receiver.at('/some').length === 1)

  const stored = await sql<{ id: string; seq: number; body: Buffer }[]>`
    select id, seq, body from events where tenant_id = ${tenantId} order by seq
  `
  t.strictSame(
    stored.map(({ id, seq }) => [id, seq]),
    [
      [first, 1],
      [second, 2],
    ],
  )
  const received = receiver.at('/all').find(({ headers }) => headers['svc-event-id'] === first)!
  t.ok(received.body.equals(stored[0]!.body), 'the stored bytes')
  const envelope = JSON.parse(received.body.toString())
  t.strictSame(Object.keys(envelope), ['id', 'type', 'created', 'api_version', 'data'])
  t.equal(envelope.api_version, '2026-11-20')

  const header = String(received.headers['svc-signature'])
  t.match(header, /^t=\d+,v1=[0-9a-f]{64},v1=[0-9a-f]{64}$/)
  const nowS = Math.floor(systemClock.nowMs() / 1000)
  const problems = all.secrets.map((secret) =>
    verifySignature({ header, body: received.body, secrets: [secret], nowS }),
  )
  t.strictSame(problems, [null, null], 'either secret verifies')
  t.equal(received.headers['svc-attempt'], '1/5')
  t.equal(received.headers['webhook-id'], first)
  t.match(received.headers['webhook-signature'], /^v1,\S{44} v1,\S{44}$/)
  t.equal(received.headers['content-type'], 'application/json')

  t.equal(receiver.at('/some')[0]!.headers['svc-event-id'], second, 'the filter holds')
  t.equal(receiver.at('/live').length + receiver.at('/other').length, 0, 'nobody else is told')
  await until(async () => (await openDeliveries(tenantId)) === 0)
})

test('a failed attempt is retried with a fresh signature up to the fifth; redirects are not followed', async (t) => {
  const tenantId = await addTenant(sql)
  const { secrets } = await addEndpoint(sql, { tenantId, url: receiver.url + '/flaky' })
  const answers: { [attempt: string]: Reply } = {
    '1/5': { status: 500 },
    '2/5': 'reset',
    '3/5': { status: 302, location: receiver.url + '/elsewhere' },
    '4/5': { status: 404 },
    '5/5': { status: 204 },
  }
  receiver.reply('/flaky', (_, { headers }) => answers[String(headers['svc-attempt'])] ?? 'hang')
  await recordEvents(sql, { tenantId, count: 1 })
  await until(
    async () => receiver.at('/flaky').length >= 5 && (await openDeliveries(tenantId)) === 0,
  )

  const attempts = await sql`
    select n, status, error_class, body from delivery_attempts a
    join deliveries d on d.id = a.delivery_id where d.tenant_id = ${tenantId} order by n
  `
  t.strictSame(
    attempts.map((row) => ({ ...row })),
    [
      { n: 1, status: 500, error_class: 'http', body: 'answer 500' },
      { n: 2, status: null, error_class: 'reset', body: '' },
      { n: 3, status: 302, error_class: 'http', body: 'answer 302' },
      { n: 4, status: 404, error_class: 'http', body: 'answer 404' },
      { n: 5, status: 204, error_class: null, body: '' },
    ],
  )
  // A reset on a kept connection is resent once, which does not count as an attempt.
  const tries = receiver
    .at('/flaky')
    .filter(
      ({ headers }, at, all) => headers['svc-attempt'] !== all[at - 1]?.headers['svc-attempt'],
    )
  const nowS = Math.floor(systemClock.nowMs() / 1000)
  const verified = tries.map(({ headers, body }) =>
    verifySignature({ header: String(headers['svc-signature']), body, secrets, nowS }),
  )
  t.strictSame(verified, [null, null, null, null, null])
  t.strictSame(
    tries.map(({ headers }) => headers['svc-attempt']),
    ['1/5', '2/5', '3/5', '4/5', '5/5'],
  )
  t.ok(tries.every(({ body }) => body.equals(tries[0]!.body)))
  t.ok(tries.every(({ atMs }, index) => index === 0 || atMs - tries[index - 1]!.atMs >= 50))
  t.equal(receiver.at('/elsewhere').length, 0)
  t.equal(await endpointStatus(tenantId, '/flaky'), 'enabled')
})

test('the fifth failure disables the endpoint once, holds open deliveries and notifies the others', async (t) => {
  const tenantId = await addTenant(sql)
  const aheadMs = 30 * 24 * 3_600_000
  await sql`insert into sandbox_clocks (tenant_id, offset_ms) values (${tenantId}, ${aheadMs})`
  const beganMs = systemClock.nowMs()
  const failing = await addEndpoint(sql, { tenantId, url: receiver.url + '/failing' })
  await addEndpoint(sql, { tenantId, url: receiver.url + '/witness' })
  await addEndpoint(sql, { tenantId, url: receiver.url + '/deaf', eventTypes: ['card.terminated'] })
  receiver.reply('/failing', () => ({ status: 500 }))
  const ids = await recordEvents(sql, { tenantId, count: 30 })
  await until(async () => (await endpointStatus(tenantId, '/failing')) === 'disabled')
  await until(() => receiver.at('/witness').length === 31 && receiver.at('/deaf').length === 1)
  await until(async () => (await leasedDeliveries(tenantId)) === 0)

  const notices = [...receiver.at('/witness'), ...receiver.at('/deaf')]
    .map(({ body }) => JSON.parse(body.toString()))
    .filter(({ type }) => type === 'webhook_endpoint.disabled')
  t.equal(notices.length, 2, 'one for each, whatever the filter')
  t.equal(notices[0].id, notices[1].id)
  t.strictSame(notices[0].data, {
    endpoint_id: failing.id,
    disabled_reason: 'retry_exhausted',
    attempt_count: 5,
  })
  const recorded = await sql`
    select id from events where tenant_id = ${tenantId} and type = 'webhook_endpoint.disabled'
  `
  t.equal(recorded.length, 1, 'exactly once')
  const [disabled] = await sql<{ at: number; told: number }[]>`
    select w.disabled_at as at, e.created_at as told from webhook_endpoints w
    join events e on e.tenant_id = w.tenant_id and e.type = 'webhook_endpoint.disabled'
    where w.id = ${failing.id}`
  t.ok(Number(disabled?.at) >= beganMs + aheadMs, 'by the sandbox clock of the tenant')
  t.equal(disabled?.told, disabled?.at)
  t.equal(notices[0].created, Math.floor(Number(disabled?.at) / 1000))

  const states = await sql<{ state: string; attempts: number }[]>`
    select state, attempts from deliveries where endpoint_id = ${failing.id}
  `
  // An event addressed after the fifth failure is not for this endpoint any more.
  t.ok(states.length > 0 && states.length <= ids.length)
  t.ok(states.every(({ state }) => state === 'held' || state === 'failed'))
  t.ok(states.some(({ state, attempts }) => state === 'failed' && attempts === 5))
  t.ok(states.every(({ attempts }) => attempts <= 5))

  const before = receiver.at('/failing').length
  await recordEvents(sql, { tenantId, count: 3 })
  await until(() => receiver.at('/witness').length === 34)
  t.equal(receiver.at('/failing').length, before, 'nothing more goes to the disabled one')
})

test('an enabled endpoint gets its held deliveries, also those that failed a fifth time meanwhile', async (t) => {
  const tenantId = await addTenant(sql)
  const { id: endpointId } = await addEndpoint(sql, { tenantId, url: receiver.url + '/back' })
  let healed = false
  let slow = ''
  receiver.reply('/back', (_count, { headers }) => {
    if (healed) return { status: 200 }
    const last = headers['svc-attempt'] === '5/5' && headers['svc-event-id'] === slow
    return { status: 500, ...(last ? { delayMs: 1500 } : {}) }
  })
  slow = (await recordEvents(sql, { tenantId, count: 1 }))[0] ?? ''
  await until(() => receiver.at('/back').some(({ headers }) => headers['svc-attempt'] === '5/5'))
  const [fast] = await recordEvents(sql, { tenantId, count: 1 })
  await until(async () => (await endpointStatus(tenantId, '/back')) === 'disabled')
  t.equal(await leasedDeliveries(tenantId), 1, 'one attempt is still under way')

  healed = true
  const owner = { tenantId, environment: 'sandbox' } as const
  await tx(sql, async (inner) => {
    const url = receiver.url + '/back'
    const change = {
      url,
      status: 'enabled' as const,
      description: '',
      eventTypes: null,
      tenantFields: { externalId: null, metadata: {} },
    }
    await saveEndpoint(inner, owner, { endpointId, change, now: systemClock.nowMs() })
    await beginSweep(inner, { endpointId, work: 'resume', at: systemClock.nowMs() })
  })
  const states = () => sql<{ event_id: string; state: string; cycle: number }[]>`
    select event_id, state, cycle from deliveries where endpoint_id = ${endpointId} order by state`
  await until(async () => (await states()).every(({ state }) => state !== 'pending'))
  t.strictSame(
    [...(await states())],
    [
      { event_id: fast, state: 'failed', cycle: 1 },
      { event_id: slow, state: 'succeeded', cycle: 2 },
    ],
  )
  t.equal(await endpointStatus(tenantId, '/back'), 'enabled')
})

test('a hanging endpoint delays neither another tenant nor its tenant’s other endpoints', async (t) => {
  const slow = await addTenant(sql)
  const quick = await addTenant(sql)
  await addEndpoint(sql, { tenantId: slow, url: receiver.url + '/hangs' })
  await addEndpoint(sql, { tenantId: slow, url: receiver.url + '/beside' })
  await addEndpoint(sql, { tenantId: quick, url: receiver.url + '/quick' })
  receiver.reply('/hangs', () => 'hang')
  await recordEvents(sql, { tenantId: slow, count: 80 })
  await until(() => receiver.at('/hangs').length === 16)

  await recordEvents(sql, { tenantId: quick, count: 50 })
  await until(() => receiver.at('/quick').length === 50 && receiver.at('/beside').length === 80)
  t.equal(receiver.at('/hangs').length, 16, 'none of the hanging one’s attempts has ended')
  await sql`update webhook_endpoints set status = 'disabled' where tenant_id = ${slow}`
})

test('no second holds more than a hundred sends of a tenant, over several dispatchers and deaths', async (t) => {
  const second = await startDispatcher(databaseUrl)
  t.teardown(() => killDispatcher(second))
  const tenantId = await addTenant(sql)
  const owner = { tenantId, environment: 'sandbox' } as const
  const paths = ['/paced', '/paced/fails-once']
  for (const path of paths) await addEndpoint(sql, { tenantId, url: receiver.url + path })
  const failed = new Set<unknown>()
  receiver.reply('/paced/fails-once', (count, { headers }) => {
    const event = headers['svc-event-id']
    if (count % 3 > 0 || failed.has(event)) return { status: 200 }
    failed.add(event)
    return { status: 500 }
  })
  await sql`insert into fan_out_pace ${sql({ tenant_id: tenantId, environment: 'sandbox' })}`
  // The events wait until all are there: a hundred of each lane, and fifty again for one endpoint,
  // as a recovery queues them.
  await tx(sql, async (inner) => {
    await inner`select from fan_out_pace where tenant_id = ${tenantId} for update`
    const many: Omit<ManyEvents, 'type'> = {
      ...owner,
      lane: 0,
      now: systemClock.nowMs(),
      events: Array.from({ length: 100 }, (_, at) => ({ data: { at }, resourceId: 'card_' + at })),
    }
    await tx(sql, async (other) => {
      await recordManyEvents(other, { ...many, type: 'card.activated' })
      await recordManyEvents(other, { ...many, type: 'pass.updated', lane: 1 })
    })
    await sql`
      insert into event_outbox (event_id, tenant_id, environment, lane, seq, only_endpoint, recovery_id)
      select ev.id, ev.tenant_id, ev.environment, 1, ev.seq, e.id, 'rcv_test'
      from events ev join webhook_endpoints e on e.tenant_id = ev.tenant_id and e.url = ${receiver.url + '/paced'}
      where ev.tenant_id = ${tenantId} and ev.seq <= 50`
  })
  const came = (): number => paths.reduce((sum, path) => sum + receiver.at(path).length, 0)
  await until(() => came() >= 150)
  await killDispatcher(second)
  await until(async () => {
    const [open] = await sql`
      select (select count(*) from open_deliveries where tenant_id = ${tenantId}) +
        (select count(*) from event_outbox where tenant_id = ${tenantId}) as count`
    return open?.['count'] === 0
  })

  for (const path of paths) {
    const seen = receiver.at(path).map(({ headers }) => headers['svc-event-id'])
    t.equal(new Set(seen).size, 200, path + ' lost none')
  }
  const sends = await sql<{ at: number }[]>`
    select a.started_at as at from delivery_attempts a join deliveries d on d.id = a.delivery_id
    where d.tenant_id = ${tenantId} and a.error_class is distinct from 'interrupted' order by 1`
  t.ok(sends.length >= 400 + failed.size - 128, 'all but those that the kill cut off')
  t.ok(closest(sends.map(({ at }) => at)) >= 1000, 'a hundred sends take a second')
  const arrivals = paths.flatMap((path) => receiver.at(path).map(({ atMs }) => atMs))
  // The bound allows for the loops and the network at either end.
  const arrived = closest(arrivals.toSorted((a, b) => a - b))
  t.ok(arrived >= 700, 'they arrived as they left: ' + arrived)
  // The killed dispatcher did not deregister.
  await sql`delete from dispatchers where alive_until < (select max(alive_until) from dispatchers)`
})

/** The shortest time from a moment to the hundredth after it, in milliseconds. */
function closest(moments: readonly number[]): number {
  return Math.min(...moments.map((at, index) => (moments[index + 100] ?? Infinity) - at))
}

test('a private address that was not opened gets no connection', async (t) => {
  const guarded = await startDispatcher(databaseUrl, { SVC_WEBHOOK_ALLOW_CIDRS: '' })
  dispatcher.child.kill('SIGTERM')
  t.strictSame(await dispatcher.exited, { code: 0, signal: null })
  const tenantId = await addTenant(sql)
  const { port } = new URL(receiver.url)
  for (const host of ['127.0.0.1', 'localhost', '[::ffff:127.0.0.1]', '[::1]', '169.254.169.254'])
    await addEndpoint(sql, { tenantId, url: 'http://' + host + ':' + port + '/private' })
  await recordEvents(sql, { tenantId, count: 1 })
  await until(async () => (await attemptsOf(tenantId)).length >= 5)

  const attempts = await attemptsOf(tenantId)
  t.ok(attempts.every(({ error_class }) => error_class === 'blocked_address'))
  t.equal(new Set(attempts.map(({ endpoint_id }) => endpoint_id)).size, 5)
  t.equal(receiver.at('/private').length, 0)
  guarded.child.kill('SIGTERM')
  await guarded.exited
  dispatcher = await startDispatcher(databaseUrl)
})

test('SIGTERM lets open deliveries finish, and a broken channel ends the process', async (t) => {
  const tenantId = await addTenant(sql)
  await addEndpoint(sql, { tenantId, url: receiver.url + '/slow' })
  receiver.reply('/slow', () => ({ status: 200, delayMs: 400 }))
  await recordEvents(sql, { tenantId, count: 1 })
  await until(() => receiver.at('/slow').length === 1)
  dispatcher.child.kill('SIGTERM')
  t.strictSame(await dispatcher.exited, { code: 0, signal: null })
  await until(() => /dispatcher stopping.*dispatcher stopped/s.test(dispatcher.log()))
  const [delivery] = await sql`select state, attempts from deliveries where tenant_id = ${tenantId}`
  t.strictSame({ ...delivery }, { state: 'succeeded', attempts: 1 })
  t.equal((await sql`select from dispatchers`).length, 0, 'it leaves no life sign')

  dispatcher = await startDispatcher(databaseUrl)
  dispatcher.child.disconnect()
  t.strictSame(await dispatcher.exited, { code: 0, signal: null })
})

test('no secret and no body reaches the log', async (t) => {
  const log = dispatcher.log()
  t.notMatch(log, /whsec_/)
  t.notMatch(log, /Zoë/)
})

test('every problem of the configuration is reported, and --help explains the settings', async (t) => {
  const wrong = startDispatcher('', { SVC_WEBHOOK_RETRY_DELAYS: '1', SVC_LOG_LEVEL: 'loud' })
  const text = String(await wrong.catch((error: unknown) => error))
  const help = execFileSync(process.execPath, [DISPATCHER, '--help'], { encoding: 'utf8' })
  for (const name of ['DATABASE_URL', 'SVC_WEBHOOK_RETRY_DELAYS', 'SVC_LOG_LEVEL']) {
    t.match(text, name)
    t.match(help, name)
  }
})

async function openDeliveries(tenantId: string): Promise<number> {
  return (await sql`select from deliveries where tenant_id = ${tenantId} and state = 'pending'`)
    .length
}

async function leasedDeliveries(tenantId: string): Promise<number> {
  const rows = await sql`
    select from deliveries where tenant_id = ${tenantId} and lease_token is not null
  `
  return rows.length
}

async function endpointStatus(tenantId: string, path: string): Promise<unknown> {
  const [row] = await sql`
    select status from webhook_endpoints
    where tenant_id = ${tenantId} and url = ${receiver.url + path}
  `
  return row?.['status']
}

async function attemptsOf(
  tenantId: string,
): Promise<{ endpoint_id: string; error_class: string }[]> {
  return sql`
    select d.endpoint_id, a.error_class from delivery_attempts a
    join deliveries d on d.id = a.delivery_id where d.tenant_id = ${tenantId}
  `
}
