import { test } from 'tap'
import { encodeId } from '../../../shared/id.ts'
import { deriveKeys, ROOT_BYTES, SEAL_CONTEXTS, seal } from '../../../shared/keyring.ts'
import { type Answer, MASTER_KEYS, startTestApi, type TestApi } from '../../harness/api.ts'

const ROOT = Buffer.alloc(ROOT_BYTES, 7)

async function startIssuingApi(): Promise<TestApi> {
  const api = await startTestApi()
  await api.sql`
    insert into derivation_root (id, sealed)
    values ('root', ${seal(MASTER_KEYS, SEAL_CONTEXTS.root, ROOT)}) on conflict do nothing`
  return api
}

function put(api: TestApi, body: object, key = api.tenant.keys.write): Promise<Answer> {
  return api.call('PUT', '/v1/cards/' + api.tenant.cardId + '/pin', { key, body })
}

async function cardRow(api: TestApi) {
  const [row] = await api.sql`select * from cards where id = ${api.tenant.cardId}`
  return row ?? {}
}

test('a PIN is stored as a keyed hash over PIN and card, and is shown nowhere', async (t) => {
  const api = await startIssuingApi()
  const { cardId, keys } = api.tenant
  const before = await cardRow(api)
  const answer = await put(api, { pin: '471147' })
  t.equal(answer.status, 200, answer.text)
  t.equal(api.engine.asked.length, 1, 'the call waited for the engine')
  const read = await api.call('GET', '/v1/cards/' + cardId, { key: keys.read })
  t.same(answer.body, read.body)
  const row = await cardRow(api)
  const { pinVerifier } = deriveKeys(ROOT, encodeId)
  t.equal(row['pin_verifier'], pinVerifier(String(before['fingerprint']), '471147'))
  t.notOk(answer.text.includes('471147') || answer.text.includes(String(row['pin_verifier'])))
  t.notOk(JSON.stringify(row).includes('471147'))
  t.equal(row['version'], Number(before['version']) + 1)
  const events = await api.call('GET', '/v1/events?resource_id=' + cardId, { key: keys.read })
  t.same(events.body.data, [], 'a PIN is no event')
})

test('setting a PIN again grants new tries, because the card has a new version', async (t) => {
  const api = await startIssuingApi()
  const first = await put(api, { pin: '4711' })
  const { version } = await cardRow(api)
  t.same((await put(api, { pin: '4711' })).body, first.body)
  t.equal((await cardRow(api))['version'], Number(version) + 1)
})

test('a PIN unconfirmed by the engine is 503, and the call may be repeated', async (t) => {
  const api = await startIssuingApi()
  api.engine.covers = false
  const answer = await put(api, { pin: '4711' })
  t.match(answer, { status: 503, body: { error: { resource_id: api.tenant.cardId } } })
  api.engine.covers = true
  t.equal((await put(api, { pin: '4711' })).status, 200)
})

test('an invalid PIN is refused by its field and never quoted', async (t) => {
  const api = await startIssuingApi()
  const bad = ['123', '1234567890123', '12 34', '１２３４', '12345x', '', 4711, null, ['4711'], {}]
  for (const pin of bad) {
    const answer = await put(api, { pin })
    t.match(answer.body.error, { code: 'parameter_invalid', param: 'pin' }, JSON.stringify(pin))
    t.equal(answer.status, 400)
  }
  t.match((await put(api, {})).body.error, { code: 'parameter_missing', param: 'pin' })
  const unknown = await put(api, { pin: '4711', pin_verifier: 'x' })
  t.match(unknown.body.error, { code: 'parameter_unknown', param: 'pin_verifier' })
  t.equal((await put(api, { pin: '4711' }, api.tenant.keys.read)).status, 403)
  t.equal((await put(api, { pin: '4711' }, api.other.keys.admin)).status, 404)
  t.equal((await cardRow(api))['pin_verifier'], null)
})

test('a terminated card accepts no PIN', async (t) => {
  const api = await startIssuingApi()
  await api.sql`update cards set status = 'terminated' where id = ${api.tenant.cardId}`
  const answer = await put(api, { pin: '4711' })
  t.match(answer, { status: 409, body: { error: { current_status: 'terminated' } } })
  t.equal((await cardRow(api))['pin_verifier'], null)
})
