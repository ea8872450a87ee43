// Certification through the API: its permissions, its record, and that only one runs at a time.
import { test } from 'tap'
import { newId } from '../../../shared/id.ts'
import { SEAL_CONTEXTS, seal } from '../../../shared/keyring.ts'
import { CERTIFIED_SECRET, DEFECTS, startCertifiable } from '../../fakes/certifiable-tenant.ts'
import { MASTER_KEYS, startTestApi, type TestApi } from '../../harness/api.ts'
import { SEEDED_AT_MS } from '../../harness/tenant.ts'
import { until } from '../../harness/until.ts'

/** Points the tenant's endpoint to `url`, with these secrets. */
async function pointTo(api: TestApi, url: string, secrets = [CERTIFIED_SECRET]): Promise<void> {
  const { endpointId } = api.tenant
  await api.sql`update webhook_endpoints set url = ${url} where id = ${endpointId}`
  for (const [slot, secret] of secrets.entries()) {
    await api.sql`
      insert into webhook_secrets (id, endpoint_id, slot, sealed, created_at)
      values (${newId('whs', SEEDED_AT_MS)}, ${endpointId}, ${slot},
        ${seal(MASTER_KEYS, SEAL_CONTEXTS.webhookSecret, secret)}, ${SEEDED_AT_MS})`
  }
}

function certify(api: TestApi, change: { id?: string; key?: string; spelling?: string } = {}) {
  const { id = api.tenant.endpointId, key = api.tenant.keys.write } = change
  const path = '/v1/' + (change.spelling ?? 'webhook_endpoints') + '/' + id
  return api.call('POST', path + '/certify', { key })
}

function kept(api: TestApi, path = '', key = api.tenant.keys.read) {
  const one = '/v1/webhook_endpoints/' + api.tenant.endpointId
  return api.call('GET', one + '/certifications' + path, { key })
}

test('a good endpoint is certified, a defective one gets its defects; both are recorded', async (t) => {
  const api = await startTestApi()
  const good = await startCertifiable(null)
  const bad = await startCertifiable(DEFECTS['stale_timestamp'] ?? null)
  t.teardown(() => Promise.all([good.close(), bad.close()]))
  const { endpointId } = api.tenant
  // Both secrets sign during a rotation: the tenant knows the new one.
  await pointTo(api, good.url, ['whsec_b2xkZXI=', CERTIFIED_SECRET])
  const first = await certify(api)
  t.equal(first.status, 201)
  t.match(first.body, {
    id: /^cert_[0-9a-z]{26}$/,
    object: 'certification',
    livemode: false,
    endpoint_id: endpointId,
    url: good.url,
    status: 'finished',
    certified: true,
    finished_at: Number,
    failed: [],
  })
  t.ok(first.body.probes.length >= 15)
  t.notMatch(first.text, /whsec_/)
  await pointTo(api, bad.url, [])
  const second = await certify(api, { spelling: 'webhook-endpoints' })
  t.match(second.body, { certified: false, failed: ['stale_timestamp'] })
  t.match(
    second.body.probes.find(({ name }: { name: string }) => name === 'stale_timestamp'),
    { expected: 'HTTP 4xx', got: 'HTTP 200, approve: true', passed: false },
  )
  t.same((await kept(api)).body.data, [second.body, first.body], 'the latest first')
  t.same((await kept(api, '/' + first.body.id)).body, first.body)
  t.equal((await kept(api, '?limit=1')).body.data[0].id, second.body.id)
  t.equal(
    (await api.call('GET', '/v1/webhook_endpoints/' + endpointId, { key: api.tenant.keys.read }))
      .body.status,
    'enabled',
  )
})

test('a certification needs the tenant’s own active endpoint and a key with scope', async (t) => {
  const api = await startTestApi()
  t.match(await certify(api), { status: 409, body: { error: { code: 'invalid_state' } } })
  t.match((await certify(api)).body.error.message, /no active secret/)
  const { tenant, other, live } = api
  t.equal((await certify(api, { id: other.endpointId })).status, 404)
  t.equal((await certify(api, { id: live.endpointId, key: live.keys.write })).status, 404, 'live')
  t.equal((await certify(api, { key: tenant.keys.read })).body.error.code, 'insufficient_scope')
  t.equal((await kept(api, '', other.keys.read)).status, 404)
  t.equal((await kept(api, '/cert_' + '0'.repeat(26))).status, 404)
  t.same((await kept(api)).body.data, [])
})

test('an endpoint has one certification at a time; a run that died with its process is dropped', async (t) => {
  const api = await startTestApi()
  const good = await startCertifiable(null)
  t.teardown(() => good.close())
  await pointTo(api, good.url)
  const running = certify(api)
  await until(() => good.requests.length > 0)
  const refused = await certify(api)
  t.match(refused, { status: 409, body: { error: { code: 'invalid_state' } } })
  t.match(refused.body.error.message, /running/)
  const [listed] = (await kept(api)).body.data
  t.match(listed, { status: 'running', certified: null, finished_at: null, probes: [] })
  t.match(await running, { status: 201, body: { id: listed.id, certified: true } })

  const { endpointId, tenantId } = api.tenant
  const abandoned = newId('cert', api.clock.nowMs)
  await api.sql`
    insert into certifications (id, endpoint_id, tenant_id, environment, url, status, created_at)
    values (${abandoned}, ${endpointId}, ${tenantId}, 'sandbox', 'x', 'running', ${api.clock.nowMs})`
  t.equal((await certify(api)).status, 409)
  api.clock.nowMs += 120_000
  t.equal((await certify(api)).status, 201)
  t.equal((await kept(api, '/' + abandoned)).status, 404)
})

test('a secret that does not open is a server error, and no run is left', async (t) => {
  const api = await startTestApi()
  const { endpointId } = api.tenant
  await api.sql`
    insert into webhook_secrets (id, endpoint_id, slot, sealed, created_at)
    values (${newId('whs', SEEDED_AT_MS)}, ${endpointId}, 0, 's1:nokey:AAAA', ${SEEDED_AT_MS})`
  t.match(await certify(api), { status: 500, body: { error: { code: 'internal_error' } } })
  t.same((await kept(api)).body.data, [])
})
