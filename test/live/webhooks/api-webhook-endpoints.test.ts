import { test } from 'tap'
import { newId } from '../../../shared/id.ts'
import { SEAL_CONTEXTS, unseal } from '../../../shared/keyring.ts'
import { MASTER_KEYS, startTestApi, type TestApi } from '../../harness/api.ts'
import { addDelivery } from '../../harness/deliveries.ts'
import { SEEDED_AT_MS } from '../../harness/tenant.ts'

function patch(api: TestApi, body: unknown, spelling = 'webhook-endpoints', of = api.tenant) {
  return api.call('PATCH', '/v1/' + spelling + '/' + of.endpointId, { key: of.keys.write, body })
}

async function hold(api: TestApi, state: 'pending' | 'succeeded'): Promise<string> {
  const { tenantId, environment, endpointId } = api.tenant
  const eventId = newId('evt', SEEDED_AT_MS)
  const id = newId('del', SEEDED_AT_MS)
  await api.sql`
    insert into events (id, tenant_id, environment, seq, type, api_version, resource_id, created_at, body)
    select ${eventId}, ${tenantId}, ${environment}, count(*) + 1, 'card.suspended', 'v', 'card', 0, '{}'
    from events where tenant_id = ${tenantId}`
  const dueAt = state === 'pending' ? api.clock.nowMs + 5000 : 0
  await addDelivery(api.sql, { id, eventId, endpointId, state, attempts: 3, dueAt })
  return id
}

test('both spellings of the path show one resource, without its secrets', async (t) => {
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
    disabled_at: null,
    signing_secrets: [],
    external_id: null,
    metadata: {},
  })
})

const HOOK = 'https://tenant.example/new'

function make(api: TestApi, body: object, path = '/v1/webhook_endpoints') {
  return api.call('POST', path, { key: api.tenant.keys.write, body })
}

test('an endpoint is created, changed, given a second secret, and deleted', async (t) => {
  const api = await startTestApi()
  const key = api.tenant.keys.write
  const made = await make(api, {
    url: HOOK,
    description: 'Ledger',
    event_types: ['card.created'],
    external_id: 'hook-1',
    metadata: { team: 'a' },
  })
  t.equal(made.status, 201, made.text)
  const { secret, ...shown } = made.body
  t.match(secret, /^whsec_[A-Za-z0-9+/]{43}=$/)
  t.match(shown, {
    id: /^we_[0-9a-z]{26}$/,
    url: HOOK,
    description: 'Ledger',
    event_types: ['card.created'],
    status: 'enabled',
    external_id: 'hook-1',
    metadata: { team: 'a' },
  })
  t.equal(shown.signing_secrets.length, 1)
  const path = '/v1/webhook-endpoints/' + shown.id
  t.same((await api.call('GET', path, { key })).body, shown, 'the secret is shown once')
  t.match(await make(api, { url: HOOK, external_id: 'hook-1' }), {
    status: 409,
    body: { error: { code: 'already_exists', resource_id: shown.id } },
  })

  const changed = await api.call('PATCH', path, {
    key,
    body: { event_types: null, description: '', metadata: { team: null, tier: '1' } },
  })
  t.match(changed.body, { url: HOOK, event_types: null, description: '', metadata: { tier: '1' } })

  const rotated = await api.call('POST', path + '/rotate_secret', { key })
  t.equal(rotated.status, 200, rotated.text)
  t.not(rotated.body.secret, secret)
  t.equal(rotated.body.signing_secrets.length, 2)
  const [older, newer] = rotated.body.signing_secrets
  t.equal(older.id, shown.signing_secrets[0].id, 'the older one signs first')
  t.match(await api.call('POST', path + '/rotate_secret', { key }), {
    status: 409,
    body: { error: { code: 'invalid_state' } },
  })
  const sealed = await api.sql<{ sealed: string }[]>`
    select sealed from webhook_secrets where endpoint_id = ${shown.id} order by slot`
  const opened = sealed.map((row) => unseal(MASTER_KEYS, SEAL_CONTEXTS.webhookSecret, row.sealed))
  t.same(
    opened.map((one) => (one.ok ? one.value.toString() : null)),
    [secret, rotated.body.secret],
  )
  for (const again of [1, 2]) {
    const revoked = await api.call('POST', path + '/revoke_old_secret', { key })
    t.same(revoked.body.signing_secrets, [newer], 'revoked ' + again)
  }
  const third = await api.call('POST', path + '/rotate_secret', { key })
  t.equal(third.body.signing_secrets[0].id, newer.id, 'what was the newer one is the older now')

  const deleted = await api.call('DELETE', path, { key })
  t.same(deleted.body, { id: shown.id, object: 'webhook_endpoint', deleted: true })
  for (const [method, at] of [
    ['GET', path],
    ['DELETE', path],
    ['PATCH', path],
    ['POST', path + '/rotate_secret'],
  ] as const) {
    const body = method === 'PATCH' ? { url: HOOK } : undefined
    t.equal((await api.call(method, at, { key, ...(body && { body }) })).status, 404, method)
  }
  const listed = await api.call('GET', '/v1/webhook_endpoints', { key })
  t.notOk(listed.body.data.some(({ id }: { id: string }) => id === shown.id))
  t.equal((await make(api, { url: HOOK, external_id: 'hook-1' })).status, 201, 'its name is free')
})

test('a deleted endpoint gets no more events and no requests', async (t) => {
  const api = await startTestApi()
  const { tenantId, endpointId, programId } = api.tenant
  const key = api.tenant.keys.write
  await api.sql`update tenants set realtime_entitled = true where id = ${tenantId}`
  t.equal((await makeRealtime(api, endpointId)).status, 200)
  const eventId = 'evt_' + endpointId
  await api.sql`
    insert into events (id, tenant_id, environment, seq, type, api_version, resource_id, created_at, body)
    values (${eventId}, ${tenantId}, 'sandbox', 1, 'card.created', '2026-12-01', 'x', 1, 'x')`
  await addDelivery(api.sql, { id: 'dlv_' + endpointId, eventId, endpointId, state: 'pending' })
  t.equal((await api.call('DELETE', '/v1/webhook_endpoints/' + endpointId, { key })).status, 200)
  const [delivery] =
    await api.sql`select state, last_error from deliveries where event_id = ${eventId}`
  t.same({ ...delivery }, { state: 'canceled', last_error: 'endpoint_deleted' })
  const [program] = await api.sql`select endpoint_id from programs where id = ${programId}`
  t.same({ ...program }, { endpoint_id: null })
  const [row] =
    await api.sql`select status, is_realtime from webhook_endpoints where id = ${endpointId}`
  t.same({ ...row }, { status: 'disabled', is_realtime: false })
})

test('an endpoint with an invalid field is refused', async (t) => {
  const api = await startTestApi()
  for (const [body, code, param] of [
    [{}, 'parameter_missing', 'url'],
    [{ url: 'http://10.0.0.1/hook' }, 'parameter_invalid', 'url'],
    [{ url: 'ftp://tenant.example/' }, 'parameter_invalid', 'url'],
    [{ url: HOOK, event_types: [] }, 'parameter_invalid', 'event_types'],
    [{ url: HOOK, event_types: ['card.eaten'] }, 'parameter_invalid', '/event_types/0'],
    [{ url: HOOK, secret: 'mine' }, 'parameter_unknown', 'secret'],
  ] as const) {
    const answer = await make(api, body)
    t.match([answer.status, answer.body.error], [400, { code, param }], JSON.stringify(body))
  }
  const live = api.live.keys.write
  const plain = await api.call('POST', '/v1/webhook_endpoints', {
    key: live,
    body: { url: 'http://tenant.example/hook' },
  })
  t.match(plain.body.error, { code: 'parameter_invalid', param: 'url' }, 'https only in live')
  const made = await Promise.all(
    Array.from({ length: 24 }, (_, at) => make(api, { url: HOOK + '/' + at })),
  )
  t.equal(made.filter(({ status }) => status === 201).length, 19, 'twenty with the one it had')
  t.match(made.find(({ status }) => status !== 201)?.body.error, {
    code: 'too_many_endpoints',
    max: 20,
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

test('one endpoint of a tenant decides in real time, and its programs follow', async (t) => {
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

test('an endpoint decides in real time only if enabled, owned and entitled', async (t) => {
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

test('the breaker of the real-time endpoint is shown as the engine reports it', async (t) => {
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

test('a new address counts once the engine has it', async (t) => {
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

test('enabling restarts the held deliveries in a new epoch, and only those', async (t) => {
  const api = await startTestApi()
  const { endpointId } = api.tenant
  const held = await hold(api, 'pending')
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
    { id: held, state: 'pending', attempts: 3, cycle: 1, epoch: 1, due_at: api.clock.nowMs },
    { id: succeeded, state: 'succeeded', attempts: 3, cycle: 1, epoch: 1 },
  ])
  t.equal((await patch(api, { status: 'enabled' })).status, 200)
  const [row] = await api.sql`select enabled_epoch from webhook_endpoints where id = ${endpointId}`
  t.equal(row?.['enabled_epoch'], 2, 'enabling an enabled endpoint changes nothing')
})

test('a tenant pauses its endpoint: deliveries are held until it is enabled again', async (t) => {
  const api = await startTestApi()
  const { endpointId } = api.tenant
  const held = await hold(api, 'pending')
  const paused = await patch(api, { status: 'disabled' })
  t.equal(paused.status, 200)
  const at = Math.floor(api.clock.nowMs / 1000)
  t.match(paused.body, { status: 'disabled', disabled_reason: 'paused', disabled_at: at })
  const stateOf = async () =>
    (await api.sql`select state from deliveries where id = ${held}`)[0]?.['state']
  t.equal(await stateOf(), 'held')
  const absences = () => api.sql`
    select reason, from_at, until_at from endpoint_absences where endpoint_id = ${endpointId}`
  t.match(await absences(), [{ reason: 'paused', from_at: api.clock.nowMs, until_at: null }])
  const events = await api.sql`select from events where resource_id = ${endpointId}`
  t.equal(events.length, 0, 'the tenant is not told of its own call')

  const again = await patch(api, { status: 'disabled' })
  t.match(again.body, { status: 'disabled', disabled_reason: 'paused', disabled_at: at })
  t.equal((await absences()).length, 1, 'pausing a paused endpoint changes nothing')

  const enabled = await patch(api, { status: 'enabled' })
  t.match(enabled.body, { status: 'enabled', disabled_at: null })
  t.notOk('disabled_reason' in enabled.body)
  t.equal(await stateOf(), 'pending')
  t.match(await absences(), [{ until_at: api.clock.nowMs }])
})

test('a pause keeps the reason of an endpoint that five failures disabled', async (t) => {
  const api = await startTestApi()
  await api.sql`
    update webhook_endpoints set status = 'disabled', disabled_reason = 'retry_exhausted', disabled_at = 1000
    where id = ${api.tenant.endpointId}`
  const paused = await patch(api, { status: 'disabled' })
  t.match(paused.body, { disabled_reason: 'retry_exhausted', disabled_at: 1 })
})

test('an invalid change of an endpoint is refused by field', async (t) => {
  const api = await startTestApi()
  const table: [unknown, string, string | null][] = [
    [{}, 'parameter_invalid', null],
    [{ status: 'paused' }, 'parameter_invalid', 'status'],
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
