// Every route, with every kind of id that is not the caller's, under every kind of key: nothing tells a foreign id from an
// unknown one, and no scope reaches further than it should. A new route is swept without being named here.
import { test } from 'tap'
import { ROUTES } from '../../api/routes.ts'
import { KEY_SCOPES, newApiKey } from '../../shared/api-key.ts'
import { newId } from '../../shared/id.ts'
import { startTestApi, type TestApi, withoutRequestId } from '../harness/api.ts'

/** What a route accepts, where that is not an empty body. */
const BODIES: { readonly [route: string]: object } = {
  'POST /v1/cards': { cardholder_id: 'ch_nobody', type: 'virtual' },
  'PATCH /v1/cards/:id': { metadata: {} },
  'POST /v1/cards/:id/activate': { last4: '4242' },
  'POST /v1/tokens': { card: { pan: '4111111111111111', exp_month: 12, exp_year: 2034 } },
  'POST /v1/cards/:id/evaluate': {
    amount_cents: 1,
    merchant: { id: 'm-1', mcc: '5411', country: 'US' },
  },
  'POST /v1/disputes': { transaction_id: 'txn_nobody', reason: 'other' },
  'PATCH /v1/disputes/:id': { metadata: {} },
  'POST /v1/disputes/:id/evidence': { kind: 'other', text: 'A word.' },
  'PUT /v1/cards/:id/limits': { limits: [] },
  'PUT /v1/cards/:id/pin': { pin: '4711' },
  'POST /v1/spending_controls': { scope: 'card', subject_id: 'card_nobody' },
  'POST /v1/wallet_tokens': { card_id: 'card_nobody', provider: 'apple' },
  'POST /v1/authentications': {
    three_ds_transaction_id: 'ds-1',
    card_id: 'card_nobody',
    result: 'failed',
  },
  'POST /v1/cardholders': { program_id: 'prog_nobody', name: 'Ada' },
  'PATCH /v1/cardholders/:id': { name: 'Ada' },
  'POST /operator/v1/cardholders/:id/kyc': { decision: 'approved' },
  'PATCH /v1/programs/:id': { fx_margin_bps: 0 },
  'PATCH /v1/spending_controls/:id': { merchant_lock: true },
  'PATCH /v1/webhook_endpoints/:id': { status: 'enabled' },
  'PATCH /v1/webhook-endpoints/:id': { status: 'enabled' },
}

const CALLS = ROUTES.flatMap(({ method, paths, scope }) =>
  paths.map((path) => ({ method, path, scope, body: BODIES[method + ' ' + path] })),
)

function call(
  api: TestApi,
  { method, path, body }: (typeof CALLS)[number],
  id: string,
  key?: string,
) {
  return api.call(method, path.replace(':id', id), {
    ...(key === undefined ? {} : { key }),
    ...(body === undefined ? {} : { body }),
  })
}

function idsOf({ cardId, cardholderId, endpointId }: TestApi['tenant']): string[] {
  return [cardId, cardholderId, endpointId]
}

test('an id of anybody else, and one of nobody, read the same on every route', async (t) => {
  const api = await startTestApi()
  const ids = [
    ...idsOf(api.other),
    ...idsOf(api.live),
    ...['card', 'ch', 'we', 'txn', 'evt', 'req'].map((prefix) => newId(prefix, api.clock.nowMs)),
  ]
  const one = CALLS.filter(({ path }) => path.includes(':id'))
  t.ok(one.length >= 12)
  for (const route of one) {
    const answers = await Promise.all(ids.map((id) => call(api, route, id, api.tenant.keys.admin)))
    t.ok(answers.every(({ status }) => status === 404))
    t.equal(new Set(answers.map(withoutRequestId)).size, 1, route.method + ' ' + route.path)
  }
  // The ids are real: their owners see them, unchanged.
  for (const owner of [api.other, api.live]) {
    const card = await api.call('GET', '/v1/cards/' + owner.cardId, { key: owner.keys.read })
    t.match(card, { status: 200, body: { status: 'active' } })
  }
})

test('each scope opens its own routes and those of narrower scopes, a publishable key none', async (t) => {
  const api = await startTestApi()
  const id = newId('card', api.clock.nowMs)
  for (const route of CALLS) {
    const name = route.method + ' ' + route.path
    const missing = route.path.includes(':id') || route.method === 'POST' ? 404 : 200
    for (const held of KEY_SCOPES) {
      const { status } = await call(api, route, id, api.tenant.keys[held])
      const enough = KEY_SCOPES.indexOf(held) >= KEY_SCOPES.indexOf(route.scope)
      t.equal(status, enough ? missing : 403, name + ' with ' + held)
    }
    const shut = [api.tenant.keys.publishable, undefined, newApiKey('secret', 'sandbox')]
    const answers = await Promise.all(shut.map((key) => call(api, route, id, key)))
    t.same(
      answers.map(({ status }) => status),
      [403, 401, 401],
      name,
    )
  }
})

test('every list shows its owner’s rows only', async (t) => {
  const api = await startTestApi()
  const foreign = new Set([...idsOf(api.other), ...idsOf(api.live)])
  for (const route of CALLS.filter(
    // A report counts; it shows no rows.
    ({ method, path }) => method === 'GET' && !path.includes(':id') && !path.endsWith('/report'),
  )) {
    const { body } = await call(api, route, '', api.tenant.keys.read)
    t.notOk(
      body.data.some((row: { id: string }) => foreign.has(row.id)),
      route.path,
    )
    for (const other of foreign) {
      const after = await api.call('GET', route.path + '?starting_after=' + other, {
        key: api.tenant.keys.read,
      })
      t.ok([200, 400].includes(after.status))
      t.notOk(foreign.has(after.body.data?.[0]?.id))
    }
  }
})
