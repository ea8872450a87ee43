import { test } from 'tap'
import { startTestApi } from '../../harness/api.ts'

test('a wallet token is created, suspended, resumed and deactivated for good', async (t) => {
  const api = await startTestApi()
  const { cardId, keys } = api.tenant
  const post = (path: string, body?: object) =>
    api.call('POST', '/v1/wallet_tokens' + path, { key: keys.write, ...(body ? { body } : {}) })
  const made = await post('', { card_id: cardId, provider: 'apple' })
  t.equal(made.status, 201)
  t.match(made.body, { object: 'wallet_token', card_id: cardId, status: 'active', livemode: false })
  const path = '/' + made.body.id
  t.match((await post(path + '/suspend')).body, { status: 'suspended' })
  t.match((await post(path + '/suspend')).body, { status: 'suspended' }, 'may be repeated')
  t.match((await post(path + '/resume')).body, { status: 'active' })
  t.match((await post(path + '/deactivate')).body, { status: 'deactivated' })
  const refused = await post(path + '/resume')
  t.equal(refused.status, 409)
  t.match(refused.body.error, { current_status: 'deactivated', allowed_from: ['suspended'] })
  t.equal(api.engine.asked.length, 5, 'each call that was answered 200 waited for the engine')

  const get = await api.call('GET', '/v1/wallet_tokens' + path, { key: keys.read })
  const list = await api.call('GET', '/v1/wallet_tokens?card_id=' + cardId, { key: keys.read })
  t.same(list.body.data, [get.body])
  const active = await api.call('GET', '/v1/wallet_tokens?status=active', { key: keys.read })
  t.same(active.body.data, [])
})

test('a token unconfirmed by the engine is pending, and the call would create another', async (t) => {
  const api = await startTestApi()
  const { cardId, keys } = api.tenant
  api.engine.covers = false
  const body = { card_id: cardId, provider: 'apple' }
  const answer = await api.call('POST', '/v1/wallet_tokens', { key: keys.write, body })
  t.equal(answer.status, 503)
  t.match(answer.body.error.message, /Resume resource_id/)
  api.engine.covers = true
  const path = '/v1/wallet_tokens/' + answer.body.error.resource_id + '/resume'
  t.match(await api.call('POST', path, { key: keys.write }), {
    status: 200,
    body: { status: 'active' },
  })
})

test('a wallet token needs a card of its tenant and a provider', async (t) => {
  const api = await startTestApi()
  const { cardId, keys } = api.tenant
  const refusal = async (body: object) => {
    const answer = await api.call('POST', '/v1/wallet_tokens', { key: keys.write, body })
    return [answer.status, answer.body.error.code, answer.body.error.param]
  }
  t.same(await refusal({ card_id: 'card_nobody', provider: 'apple' }), [
    404,
    'resource_missing',
    'card_id',
  ])
  t.same(await refusal({ card_id: cardId }), [400, 'parameter_missing', 'provider'])
  t.same(await refusal({ card_id: cardId, provider: 'A b' }), [
    400,
    'parameter_invalid',
    'provider',
  ])
})

test('a wallet token has an external id and metadata, and is found by them', async (t) => {
  const api = await startTestApi()
  const { cardId, keys } = api.tenant
  const invocation = { card_id: cardId, provider: 'apple' }
  const call = (method: string, path: string, body?: object) =>
    api.call(method, '/v1/wallet_tokens' + path, { key: keys.write, ...(body && { body }) })
  const own = { external_id: 'device-1', metadata: { phone: 'red' } }
  const made = await call('POST', '', { ...invocation, ...own })
  t.match(made, { status: 201, body: own })
  const plain = await call('POST', '', invocation)
  t.match(plain.body, { external_id: null, metadata: {} })
  t.match(await call('POST', '', { ...invocation, external_id: 'device-1' }), {
    status: 409,
    body: { error: { code: 'already_exists', param: 'external_id', resource_id: made.body.id } },
  })
  const found = await call('GET', '?external_id=device-1')
  t.same(found.body.data, [made.body])

  const path = '/' + made.body.id
  const [before] = await api.sql`select version from wallet_tokens where id = ${made.body.id}`
  const change = { external_id: 'device-2', metadata: { phone: null, year: '2026' } }
  const changed = await call('PATCH', path, change)
  t.match(changed, { status: 200, body: { external_id: 'device-2' } })
  t.same(changed.body.metadata, { year: '2026' })
  const [after] = await api.sql`select version from wallet_tokens where id = ${made.body.id}`
  t.same(after, before, 'the engine hears nothing of it')
  t.same((await call('GET', path)).body, changed.body)
  t.match(await call('PATCH', '/' + plain.body.id, { external_id: 'device-2' }), {
    status: 409,
    body: { error: { code: 'already_exists' } },
  })
  t.equal((await call('PATCH', path, {})).status, 400)
  t.match(await call('PATCH', path, { status: 'active' }), {
    status: 400,
    body: { error: { code: 'parameter_unknown' } },
  })
  t.equal((await call('PATCH', '/wtok_nobody', { external_id: 'x' })).status, 404)
  t.match((await call('POST', path + '/deactivate')).body, { metadata: { year: '2026' } })
})
