// The health of endpoints: their results of a day beside each other, and what waits for each.
import { test } from 'tap'
import { systemClock } from '../../../shared/clock.ts'
import { newId } from '../../../shared/id.ts'
import { SEAL_CONTEXTS, seal } from '../../../shared/keyring.ts'
import { type Answer, MASTER_KEYS, startTestApi, type TestApi } from '../../harness/api.ts'
import { addDelivery } from '../../harness/deliveries.ts'
import { startDispatch } from '../../harness/dispatched.ts'
import { until } from '../../harness/until.ts'

async function get(api: TestApi, path: string): Promise<Answer['body']> {
  const answer = await api.call('GET', '/v1/' + path, { key: api.tenant.keys.read })
  if (answer.status !== 200) throw new Error(path + ': ' + answer.text)
  return answer.body
}

let seq = 0

async function addEvent(api: TestApi): Promise<string> {
  const id = newId('evt', api.clock.nowMs)
  const { tenantId, environment } = api.tenant
  await api.sql`
    insert into events (id, tenant_id, environment, seq, type, api_version, resource_id, created_at, body)
    values (${id}, ${tenantId}, ${environment}, ${++seq}, 'card.suspended', 'v', 'card', ${api.clock.nowMs}, '{"a":1}')`
  return id
}

async function addPending(api: TestApi): Promise<string> {
  const eventId = await addEvent(api)
  const { endpointId } = api.tenant
  const id = newId('dlv', api.clock.nowMs)
  await addDelivery(api.sql, { id, eventId, endpointId, state: 'pending' })
  return eventId
}

async function addSecret({ sql, tenant }: TestApi): Promise<void> {
  await sql`
    insert into webhook_secrets (id, endpoint_id, slot, sealed, created_at)
    values (${newId('wsec', 1)}, ${tenant.endpointId}, 0, ${seal(MASTER_KEYS, SEAL_CONTEXTS.webhookSecret, 'whsec_a')}, 0)`
}

test('the first attempt of each delivery is counted once, and no attempt of a replay', async (t) => {
  const api = await startTestApi()
  const { sql, tenant } = api
  await addSecret(api)
  const events: string[] = []
  for (let count = 0; count < 4; count++) events.push(await addPending(api))
  const dispatch = await startDispatch(sql, {
    clock: { ...systemClock, nowMs: () => api.clock.nowMs },
    send: async ({ eventId, attempt }) =>
      eventId === events[0] && attempt === 1 ? { status: 500, errorClass: 'http' } : {},
  })
  const isDone = async () =>
    (await sql`select 1 from open_deliveries where endpoint_id = ${tenant.endpointId}`).length === 0
  await until(isDone)
  const path = 'webhook_endpoints/' + tenant.endpointId
  const counted = { succeeded: 4, failed: 1, first_tries: 4, first_try_share: 0.75 }
  const { total, hours } = await get(api, path + '/statistics')
  t.match(total, counted)
  t.match(hours.at(-1), counted)
  t.match(hours[0], { first_tries: 0, first_try_share: null })
  const again = await api.call('POST', '/v1/' + path + '/replay', {
    key: tenant.keys.write,
    body: { event_id: events[1] },
  })
  t.equal(again.status, 200)
  await until(async () => (await get(api, path + '/statistics')).total.succeeded === 5)
  t.match((await get(api, path + '/statistics')).total, { first_tries: 4, first_try_share: 0.75 })
  await dispatch.stop(1000)
})

test('a delivery that was held or cut off has its first try with the attempt that ends first', async (t) => {
  const api = await startTestApi()
  const { sql, tenant } = api
  await addSecret(api)
  const [held, cutOff, tried, both] = [
    ...[await addPending(api), await addPending(api), await addPending(api)],
    await addPending(api),
  ]
  await sql`update webhook_endpoints set enabled_epoch = 2 where id = ${tenant.endpointId}`
  await sql`update open_deliveries set epoch = 2 where event_id <> ${held ?? ''}`
  await sql`
    update open_deliveries set attempts = 1, last_error = 'interrupted'
    where event_id = any (${[cutOff ?? '', both ?? '']}::text[])`
  await sql`
    insert into delivery_attempts (delivery_id, cycle, n, started_at, duration_ms, error_class)
    select id, 1, 1, 0, 0, 'timeout' from open_deliveries where event_id = ${both ?? ''}`
  await sql`update open_deliveries set attempts = 2 where event_id = ${both ?? ''}`
  await sql`
    update open_deliveries set attempts = 1, last_status = 500, last_error = 'http'
    where event_id = ${tried ?? ''}`
  const dispatch = await startDispatch(sql, {
    clock: { ...systemClock, nowMs: () => api.clock.nowMs },
    send: async ({ eventId }) => (eventId === held ? { status: 500, errorClass: 'http' } : {}),
  })
  const path = 'webhook_endpoints/' + tenant.endpointId + '/statistics'
  await until(async () => (await get(api, path)).total.succeeded === 3)
  await until(async () => (await get(api, path)).total.failed === 1)
  t.match((await get(api, path)).total, { first_tries: 2, first_try_share: 0.5 })
  await dispatch.stop(1000)
})

test('a list of endpoints counts a part of what waits, one endpoint counts more', async (t) => {
  const api = await startTestApi()
  const { sql, tenant } = api
  const eventId = await addPending(api)
  await sql`
    insert into open_deliveries (
      id, event_id, endpoint_id, tenant_id, environment, type, cause, lane, epoch, due_at, created_at
    )
    select 'dlv_' || lpad(n::text, 26, '0'), event_id, endpoint_id, tenant_id, environment, type, cause,
      lane, epoch, due_at, created_at
    from open_deliveries, generate_series(1, 1500) n where event_id = ${eventId}`
  const { data } = await get(api, 'webhook_endpoints/health')
  t.match(data, [{ id: tenant.endpointId, pending: 1000 }])
  const { pending } = await get(api, 'webhook_endpoints/' + tenant.endpointId + '/statistics')
  t.equal(pending, 1501)
})

test('endpoints stand beside each other, newest first, each with what waits for it', async (t) => {
  const api = await startTestApi()
  const { sql, tenant, clock } = api
  const other = newId('we', clock.nowMs)
  await sql`
    insert into webhook_endpoints (id, tenant_id, environment, url, status, created_at)
    values (${other}, ${tenant.tenantId}, 'sandbox', 'https://tenant.example/other', 'disabled', 0)`
  const hour = clock.nowMs - (clock.nowMs % 3_600_000)
  await sql`
    insert into endpoint_hours (endpoint_id, hour, succeeded, failed, first_tries, first_succeeded)
    values (${tenant.endpointId}, ${hour}, 50, 2, 50, 48), (${other}, ${hour - 86_400_000}, 9, 0, 9, 9)`
  await addPending(api)
  await sql`
    update open_deliveries set created_at = ${clock.nowMs - 120_000}, due_at = ${clock.nowMs + 5000}
    where endpoint_id = ${tenant.endpointId}`
  const { data, has_more: hasMore } = await get(api, 'webhook_endpoints/health')
  t.equal(hasMore, false)
  t.match(data, [
    {
      ...{ id: other, url: 'https://tenant.example/other', status: 'disabled' },
      total: { succeeded: 0, first_tries: 0, first_try_share: null },
      ...{ pending: 0, held: 0, oldest_age_seconds: null, next_attempt_at: null },
    },
    {
      ...{ id: tenant.endpointId, object: 'webhook_endpoint_health', livemode: false },
      total: { succeeded: 50, failed: 2, first_tries: 50, first_try_share: 0.96 },
      ...{ pending: 1, held: 0, oldest_age_seconds: 120 },
      next_attempt_at: clock.nowMs / 1000 + 5,
    },
  ])
  const first = await get(api, 'webhook-endpoints/health?limit=1')
  t.match(first, { data: [{ id: other }], has_more: true })
  const second = await get(api, 'webhook_endpoints/health?starting_after=' + first.next_cursor)
  t.match(second.data, [{ id: tenant.endpointId }])
  const foreign = await api.call('GET', '/v1/webhook_endpoints/health', {
    key: api.other.keys.read,
  })
  t.same(
    foreign.body.data.map(({ id }: { id: string }) => id),
    [api.other.endpointId],
  )
})
