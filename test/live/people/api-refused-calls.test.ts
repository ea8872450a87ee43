import { pino } from 'pino'
import { test } from 'tap'
import { RefusedCalls } from '../../../api/platform/refused-calls/index.ts'
import { newId } from '../../../shared/id.ts'
import { startTestApi, type TestApi } from '../../harness/api.ts'
import { callApproved } from '../../harness/person.ts'
import { SEEDED_AT_MS } from '../../harness/tenant.ts'
import { until } from '../../harness/until.ts'

const PATH = '/v1/refused_calls'

async function list(api: TestApi, query = '', tenant = api.tenant) {
  return (await api.call('GET', PATH + query, { key: tenant.keys.read })).body.data
}

test('a refused call is listed by its route and code, without what the caller sent', async (t) => {
  const api = await startTestApi()
  const { tenant } = api
  t.same(await list(api), [])
  const refused = await api.call('GET', '/v1/cards/card_unknown', { key: tenant.keys.read })
  await api.call('POST', '/v1/programs', { key: tenant.keys.read, body: {} })
  await api.call('GET', '/v1/cards?4242424242424242=1', { key: tenant.keys.read })
  await api.call('GET', '/v1/cards', { key: 'svc_unknown' })
  await until(async () => (await list(api)).length === 3)
  const [third, second, first] = await list(api)
  t.match(first, {
    id: /^rcl_/,
    object: 'refused_call',
    livemode: false,
    request_id: refused.headers.get('request-id'),
    method: 'GET',
    path: '/v1/cards/:id',
    status: 404,
    code: 'resource_missing',
    param: null,
    credential: { kind: 'api_key', id: /^key_/ },
    address: '127.0.0.1',
  })
  t.match(second, { code: 'insufficient_scope', status: 403, path: '/v1/programs' })
  t.match(third, { status: 400, param: /pan/ })
  t.notMatch(JSON.stringify(await list(api)), /card_unknown|4242424242424242/)
  t.equal((await list(api, '?code=resource_missing')).length, 1)
  t.equal((await list(api, '?limit=2')).length, 2)
  t.same(await list(api, '', api.other), [])
})

function calls(api: TestApi, after: (delayMs: number, task: () => void) => { cancel(): void }) {
  const clock = { nowMs: () => api.clock.nowMs, monotonicNs: () => 0, after }
  const refused = new RefusedCalls({ sql: api.sql, clock, log: pino({ level: 'silent' }) })
  const { tenantId, environment } = api.tenant
  const note = (code: string, createdAt = SEEDED_AT_MS) =>
    refused.note({
      ...{ tenantId, environment, createdAt, code, status: 400, param: null, address: null },
      ...{ method: 'GET', path: '/v1/cards', requestId: newId('req', SEEDED_AT_MS) },
      ...{ credentialKind: 'api_key' as const, credentialId: 'key_1' },
    })
  return { refused, note }
}

test('refusals wait for one write, and the last thousand of an owner stay', async (t) => {
  const api = await startTestApi()
  const tasks: (() => void)[] = []
  const { refused, note } = calls(api, (_delayMs, task) => {
    tasks.push(task)
    return { cancel: () => undefined }
  })
  const count = async () => {
    const [row] = await api.sql<{ count: number }[]>`
      select count(*)::integer as count from refused_calls
      where tenant_id = ${api.tenant.tenantId}`
    return row?.count
  }
  for (let at = 0; at < 700; at++) note('parameter_invalid')
  t.equal(tasks.length, 1, 'one write for all')
  t.equal(await count(), 0)
  tasks.shift()?.()
  await until(async () => (await count()) === 700)
  api.clock.nowMs += 1
  for (let at = 0; at < 2500; at++) note(at < 2400 ? 'parameter_missing' : 'parameter_unknown')
  await refused.close()
  t.equal(await count(), 1000)
  t.equal((await list(api, '?limit=100&code=parameter_unknown')).length, 100)
  t.same(await list(api, '?code=parameter_invalid'), [], 'the oldest went')
})

test('hours tell how often each code came', async (t) => {
  const api = await startTestApi()
  const { refused, note } = calls(api, () => ({ cancel: () => undefined }))
  for (const code of ['parameter_missing', 'parameter_invalid', 'parameter_invalid']) note(code)
  note('tenant_limit', SEEDED_AT_MS + 3_600_000)
  await refused.close()
  const answer = await api.call('GET', PATH + '/hours', { key: api.tenant.keys.read })
  t.same(answer.body.hours, [
    {
      hour: SEEDED_AT_MS / 1000,
      codes: [
        { code: 'parameter_invalid', count: 2 },
        { code: 'parameter_missing', count: 1 },
      ],
    },
    { hour: SEEDED_AT_MS / 1000 + 3600, codes: [{ code: 'tenant_limit', count: 1 }] },
  ])
})

test('a wipe removes the refused calls of its sandbox', async (t) => {
  const api = await startTestApi()
  const { refused, note } = calls(api, () => ({ cancel: () => undefined }))
  note('parameter_missing')
  await refused.close()
  const key = api.tenant.keys.admin
  const wiped = await callApproved(api, 'POST', '/v1/sandbox/wipe', { key, body: {} })
  t.equal(wiped.status, 200)
  t.ok(wiped.body.deleted.refused_calls >= 1)
})
