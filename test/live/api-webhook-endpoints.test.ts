import { test } from 'tap'
import { newId } from '../../shared/id.ts'
import { startTestApi, type TestApi } from '../harness/api.ts'
import { SEEDED_AT_MS } from '../harness/tenant.ts'

function patch(api: TestApi, body: unknown, spelling = 'webhook-endpoints', of = api.tenant) {
  return api.call('PATCH', '/v1/' + spelling + '/' + of.endpointId, { key: of.keys.write, body })
}

async function hold(api: TestApi, state: string): Promise<string> {
  const { tenantId, environment, endpointId } = api.tenant
  const eventId = newId('evt', SEEDED_AT_MS)
  const id = newId('del', SEEDED_AT_MS)
  await api.sql`
    insert into events (id, tenant_id, environment, seq, type, api_version, resource_id, created_at, body)
    select ${eventId}, ${tenantId}, ${environment}, count(*) + 1, 'card.suspended', 'v', 'card', 0, '{}'
    from events where tenant_id = ${tenantId}`
  await api.sql`
    insert into deliveries (id, event_id, endpoint_id, tenant_id, environment, state, attempts, epoch)
    values (${id}, ${eventId}, ${endpointId}, ${tenantId}, ${environment}, ${state}, 3, 1)`
  return id
}

test('both spellings are one resource, without its secrets', async (t) => {
  const api = await startTestApi()
  const { endpointId, keys } = api.tenant
  const answers = await Promise.all(
    ['webhook_endpoints', 'webhook-endpoints'].flatMap((spelling) => [
      api.call('GET', '/v1/' + spelling, { key: keys.read }),
      api.call('GET', '/v1/' + spelling + '/' + endpointId, { key: keys.read }),
    ]),
  )
  const [listed, one, listedToo, oneToo] = answers.map(({ body }) => body)
  t.same(listed, listedToo)
  t.same(one, oneToo)
  t.same(listed.data, [one])
  t.same(one, {
    id: endpointId,
    object: 'webhook_endpoint',
    created: SEEDED_AT_MS / 1000,
    livemode: false,
    url: 'https://tenant.example/hook',
    description: '',
    event_types: null,
    status: 'enabled',
    realtime: { is_realtime: false, breaker: null },
  })
})

function makeRealtime(api: TestApi, id: string, key = api.tenant.keys.write) {
  return api.call('POST', '/v1/webhook_endpoints/' + id + '/make_realtime', { key })
}

async function secondEndpoint(api: TestApi, change: { [name: string]: string } = {}) {
  const id = newId('we', SEEDED_AT_MS)
  const { tenantId, environment } = api.tenant
  const row = {
    id,
    tenant_id: tenantId,
    environment,
    url: 'https://tenant.example/other',
    created_at: SEEDED_AT_MS,
    ...change,
  }
  await api.sql`insert into webhook_endpoints ${api.sql(row)}`
  return id
}

async function entitle(api: TestApi): Promise<void> {
  const { tenantId } = api.tenant
  await api.sql`update tenants set realtime_entitled = true where id = ${tenantId}`
}

test('one endpoint of a tenant is asked in real time, and its programs follow', async (t) => {
  const api = await startTestApi()
  const { endpointId, programId, keys } = api.tenant
  await entitle(api)
  const first = await makeRealtime(api, endpointId)
  t.equal(first.status, 200)
  t.match(first.body, { id: endpointId, realtime: { is_realtime: true } })
  const endpointOf = async () =>
    (await api.sql`select endpoint_id, realtime from programs where id = ${programId}`)[0]
  t.same(await endpointOf(), { endpoint_id: endpointId, realtime: false }, 'nobody opts in by it')

  const second = await secondEndpoint(api)
  t.equal((await makeRealtime(api, second)).body.realtime.is_realtime, true)
  t.match(await endpointOf(), { endpoint_id: second })
  const listed = await api.call('GET', '/v1/webhook-endpoints', { key: keys.read })
  t.same(
    new Map(
      listed.body.data.map((one: { id: string; realtime: { is_realtime: boolean } }) => [
        one.id,
        one.realtime.is_realtime,
      ]),
    ),
    new Map([
      [endpointId, false],
      [second, true],
    ]),
  )
  const { tenantId, environment } = api.tenant
  const later = newId('prog', SEEDED_AT_MS)
  await api.sql`
    insert into programs (id, tenant_id, environment, name, status, created_at)
    values (${later}, ${tenantId}, ${environment}, 'Later', 'active', ${SEEDED_AT_MS})`
  t.same(
    await api.sql`select endpoint_id from programs where id = ${later}`,
    [{ endpoint_id: second }],
    'a new program follows too',
  )
  t.equal((await makeRealtime(api, second)).status, 200, 'repeating it changes nothing')
  await t.rejects(
    api.sql`update webhook_endpoints set is_realtime = true where id = ${endpointId}`,
    { code: '23505' },
    'the database keeps it so',
  )
  const both = await Promise.all(
    [endpointId, second, endpointId].map((id) => makeRealtime(api, id)),
  )
  t.same(
    both.map(({ status }) => status),
    [200, 200, 200],
  )
  const rows = await api.sql`
    select id from webhook_endpoints where tenant_id = ${api.tenant.tenantId} and is_realtime`
  t.equal(rows.length, 1)
  t.match(await endpointOf(), { endpoint_id: rows[0]?.['id'] })
})

test('who may not be asked in real time, and what may not', async (t) => {
  const api = await startTestApi()
  const refused = await makeRealtime(api, api.tenant.endpointId)
  t.same([refused.status, refused.body.error.code], [403, 'feature_not_enabled'])
  await entitle(api)
  const disabled = await secondEndpoint(api, { status: 'disabled' })
  const conflict = await makeRealtime(api, disabled)
  t.match(conflict, { status: 409, body: { error: { code: 'invalid_state' } } })
  t.match(conflict.body.error, { current_status: 'disabled', allowed_from: ['enabled'] })
  for (const id of [api.other.endpointId, api.live.endpointId, 'we_nobody'])
    t.equal((await makeRealtime(api, id)).status, 404, id)
  const narrow = await makeRealtime(api, api.tenant.endpointId, api.tenant.keys.read)
  t.same([narrow.status, narrow.body.error.code], [403, 'insufficient_scope'])
  api.engine.covers = false
  t.equal((await makeRealtime(api, api.tenant.endpointId)).status, 503, 'the engine has to have it')
})

test('the breaker of the endpoint that is asked is shown as the engine has it', async (t) => {
  const api = await startTestApi()
  const { endpointId, keys } = api.tenant
  await entitle(api)
  await makeRealtime(api, endpointId)
  const shown = async () =>
    (await api.call('GET', '/v1/webhook_endpoints/' + endpointId, { key: keys.read })).body.realtime
  t.same(await shown(), {
    is_realtime: true,
    breaker: { state: 'unknown', since: null, opened_count: null },
  })
  api.engine.breaker = { state: 'closed', for_ms: null, opened_count: 0 }
  t.same((await shown()).breaker, { state: 'closed', since: null, opened_count: 0 })
  api.engine.breaker = { state: 'open', for_ms: 5000, opened_count: 3 }
  const since = api.clock.nowMs / 1000 - 5
  t.same((await shown()).breaker, { state: 'open', since, opened_count: 3 })
  const listed = await api.call('GET', '/v1/webhook_endpoints', { key: keys.read })
  t.same(listed.body.data[0].realtime.breaker, { state: 'open', since, opened_count: 3 })
})

test('a new address counts when the engine has it', async (t) => {
  const api = await startTestApi()
  const moved = await patch(api, { url: 'http://127.0.0.1:9000/hook' }, 'webhook_endpoints')
  t.equal(moved.status, 200)
  t.equal(moved.body.url, 'http://127.0.0.1:9000/hook')
  api.engine.covers = false
  const unconfirmed = await patch(api, { url: 'http://127.0.0.1:9001/hook' })
  t.same([unconfirmed.status, unconfirmed.body.error.code], [503, 'dependency_unavailable'])
  api.engine.covers = true
  t.equal((await patch(api, { url: 'http://127.0.0.1:9001/hook' })).status, 200)
})

test('enabling starts held deliveries afresh in a new epoch, and only those', async (t) => {
  const api = await startTestApi()
  const { endpointId } = api.tenant
  const held = await hold(api, 'held')
  const succeeded = await hold(api, 'succeeded')
  await api.sql`
    update webhook_endpoints set status = 'disabled', disabled_reason = 'retry_exhausted'
    where id = ${endpointId}`

  const moved = await patch(api, { url: 'http://127.0.0.1:9000/' })
  t.match(moved.body, { status: 'disabled', disabled_reason: 'retry_exhausted' })

  const enabled = await patch(api, { status: 'enabled' })
  t.equal(enabled.status, 200)
  t.equal(enabled.body.status, 'enabled')
  t.notOk('disabled_reason' in enabled.body)
  const rows =
    await api.sql`select id, state, attempts, cycle, epoch, due_at from deliveries where endpoint_id = ${endpointId} order by id`
  t.match(rows, [
    { id: held, state: 'pending', attempts: 0, cycle: 2, epoch: 2, due_at: api.clock.nowMs },
    { id: succeeded, state: 'succeeded', attempts: 3, cycle: 1, epoch: 1 },
  ])
  t.equal((await patch(api, { status: 'enabled' })).status, 200)
  const [row] = await api.sql`select enabled_epoch from webhook_endpoints where id = ${endpointId}`
  t.equal(row?.['enabled_epoch'], 2, 'enabling an enabled endpoint changes nothing')
})

test('what cannot be an endpoint is refused by name', async (t) => {
  const api = await startTestApi()
  const table: [unknown, string, string | null][] = [
    [{}, 'parameter_invalid', null],
    [{ status: 'disabled' }, 'parameter_invalid', 'status'],
    [{ url: 1 }, 'parameter_invalid', 'url'],
    [{ url: '/hook' }, 'parameter_invalid', 'url'],
    [{ url: 'ftp://tenant.example/' }, 'parameter_invalid', 'url'],
    [{ url: 'https://user:pass@tenant.example/' }, 'parameter_invalid', 'url'],
    [{ url: 'http://169.254.169.254/latest' }, 'parameter_invalid', 'url'],
    [{ url: 'http://10.0.0.1/' }, 'parameter_invalid', 'url'],
    [{ url: 'http://[::ffff:10.0.0.1]/' }, 'parameter_invalid', 'url'],
    [{ url: 'https://tenant.example/\u0000' }, 'parameter_invalid', 'url'],
    [{ url: 'https://tenant.example/', secret: 'x' }, 'parameter_unknown', 'secret'],
  ]
  for (const [body, code, param] of table) {
    const answer = await patch(api, body)
    t.same(
      [answer.status, answer.body.error?.code, answer.body.error?.param],
      [400, code, param],
      JSON.stringify(body),
    )
  }
  const live = await patch(api, { url: 'http://tenant.example/' }, 'webhook-endpoints', api.live)
  t.same([live.status, live.body.error.param], [400, 'url'], 'live endpoints are https')
})
