// Subscriptions, add-ons, quotes and overrides through the running API, each event from its cause.
import { type Test, test } from 'tap'
import { type Answer, startTestApi, type TestApi } from '../../harness/api.ts'
import { seedOperator } from '../../harness/operator.ts'
import { approve, callApproved } from '../../harness/person.ts'

const DAY_MS = 86_400_000
const BILLED = { billed: { sandbox: true, live: false } }
const VOLUMES = { authorizations: 2_000_000, cards_issued: 10_000 }
const CONTACT = { name: 'Ada', email: 'ada@tenant.example' }
const price = (included: number, perThousand: number) => ({
  ...{ included, per_thousand_cents: perThousand },
})
const TERMS = {
  ...{ interval: 'month', currency: 'EUR', base_cents: 250_000, realtime: true, rate_factor: 4 },
  ...{ endpoints_max: 12, net_days: 30 },
  meters: {
    authorizations: price(2_000_000, 300),
    cards_issued: price(10_000, 4000),
    passes_issued: price(0, 800),
    physical_cards: price(0, 500_000),
    identity_checks: price(0, 120_000),
  },
}

const get = async (api: TestApi, path: string): Promise<Answer['body']> =>
  (await api.call('GET', '/v1/billing/' + path, { key: api.tenant.keys.read })).body

async function change(api: TestApi, call: string, body?: object): Promise<Answer> {
  const [method = '', path = ''] = call.split(' ')
  const sent = { key: api.tenant.keys.admin, ...(body === undefined ? {} : { body }) }
  return callApproved(api, method, '/v1/billing/' + path, sent)
}

async function eventsOf(api: TestApi, resourceId: string): Promise<Answer['body'][]> {
  const path = '/v1/events?order=asc&resource_id=' + resourceId
  return (await api.call('GET', path, { key: api.tenant.keys.read })).body.data
}

async function code(t: Test, answer: Promise<Answer>, status: number, text: string) {
  const { status: seen, body } = await answer
  t.match({ status: seen, body }, { status, body: { error: { code: text } } })
}

test('a trial begins once, with caps, and ends without a charge', async (t) => {
  const api = await startTestApi(BILLED)
  const { keys } = api.tenant
  t.match(await get(api, 'subscription'), { id: null, status: 'none', plan: null })
  t.match(await get(api, 'entitlements'), { issuing: true, endpoints_max: null }, 'sandbox is open')
  const unapproved = api.call('POST', '/v1/billing/trial', {
    key: keys.admin,
    body: { plan: 'starter' },
  })
  await code(t, unapproved, 403, 'factor_required')
  await code(
    t,
    api.call('POST', '/v1/billing/trial', { key: keys.write, body: { plan: 'starter' } }),
    403,
    'insufficient_scope',
  )
  await code(t, change(api, 'POST trial', { plan: 'enterprise' }), 400, 'parameter_invalid')
  const { status, body: trial } = await change(api, 'POST trial', { plan: 'growth' })
  t.equal(status, 201)
  t.match(trial, { status: 'trialing', plan: { key: 'growth', version: '2026-11-01' } })
  t.equal(trial.trial.until - trial.trial.from, 30 * 86_400)
  t.same(await get(api, 'subscription'), trial)
  const [event] = await eventsOf(api, trial.id)
  t.same([event.type, event.data], ['billing.trial_started', { subscription: trial }])
  await code(t, change(api, 'POST trial', { plan: 'growth' }), 409, 'invalid_state')
  t.match(await get(api, 'entitlements'), {
    ...{ status: 'trialing', issuing: true, realtime: false, endpoints_max: 10 },
    caps: { cards_issued: 50, passes_issued: 500, identity_checks: 20 },
  })
  api.clock.nowMs += 30 * DAY_MS
  t.match(await get(api, 'subscription'), { status: 'restricted', status_reason: 'trial_ended' })
  t.match(await get(api, 'entitlements'), { issuing: false, authorizations: true })
  api.clock.nowMs += 30 * DAY_MS
  t.match(await get(api, 'subscription'), { status: 'canceled', status_reason: 'trial_ended' })
  t.match(await get(api, 'entitlements'), { issuing: false, authorizations: false })
  await code(t, change(api, 'POST trial', { plan: 'growth' }), 409, 'trial_used')
  t.equal((await eventsOf(api, trial.id)).length, 1, 'time alone has no event')
})

test('a cancellation is set once, taken back, and takes effect', async (t) => {
  const api = await startTestApi(BILLED)
  await code(t, change(api, 'POST subscription/cancel'), 409, 'invalid_state')
  const { id } = (await change(api, 'POST trial', { plan: 'starter' })).body
  const { body: canceled } = await change(api, 'POST subscription/cancel')
  t.match(canceled, { status: 'trialing', cancel_at_period_end: true })
  t.same((await change(api, 'POST subscription/cancel')).body, canceled, 'twice is once')
  const { body: reverted } = await change(api, 'POST subscription/revert')
  t.match(reverted, { status: 'trialing', cancel_at_period_end: false })
  t.same((await change(api, 'POST subscription/revert')).body, reverted)
  await change(api, 'POST subscription/cancel')
  const types = (await eventsOf(api, id)).map(({ type }) => type)
  const CANCELED = 'billing.subscription_canceled'
  t.same(types, ['billing.trial_started', CANCELED, CANCELED])
  api.clock.nowMs += 30 * DAY_MS
  t.match(await get(api, 'subscription'), { status: 'canceled', status_reason: 'requested' })
  await code(t, change(api, 'POST subscription/revert'), 409, 'invalid_state')
})

test('an add-on is toggled under a running subscription', async (t) => {
  const api = await startTestApi(BILLED)
  const toggle = (enabled: boolean) => change(api, 'PUT addons/identity_checks', { enabled })
  await code(t, toggle(true), 403, 'feature_not_enabled')
  await code(t, change(api, 'PUT addons/wings', { enabled: true }), 404, 'route_not_found')
  await change(api, 'POST trial', { plan: 'starter' })
  const { body: enabled } = await toggle(true)
  t.match(enabled, { id: 'identity_checks', enabled: true })
  t.same((await toggle(true)).body, enabled)
  t.same((await get(api, 'addons')).data[0], enabled)
  t.same((await get(api, 'subscription')).addons, ['identity_checks'])
  t.same((await get(api, 'entitlements')).addons, ['identity_checks'])
  const { body: disabled } = await toggle(false)
  const toggled = await eventsOf(api, 'identity_checks')
  t.same(
    toggled.map(({ type, data }) => [type, data.addon]),
    [
      ['billing.addon_toggled', enabled],
      ['billing.addon_toggled', disabled],
    ],
  )
  api.clock.nowMs += 31 * DAY_MS
  const late = await toggle(true)
  t.match(late.body, { error: { code: 'billing_restricted', billing_status: 'restricted' } })
})

test('an approval that was asked for before the offer was replaced accepts nothing', async (t) => {
  const api = await startTestApi(BILLED)
  const sent = { key: api.tenant.keys.admin }
  const operator = await seedOperator(api.sql)
  const body = { volumes: VOLUMES, contact: CONTACT }
  const { body: quote } = await api.call('POST', '/v1/billing/quotes', { ...sent, body })
  const offer = (base_cents: number) =>
    api.call('POST', '/operator/v1/quotes/' + quote.id + '/offer', {
      key: operator,
      body: { ...TERMS, base_cents, expires_at: api.clock.nowMs / 1000 + 86_400 },
    })
  await offer(100_000)
  const path = '/v1/billing/quotes/' + quote.id + '/accept'
  const asked = await api.call('POST', path, sent)
  const headers = await approve(api, asked, sent)
  api.clock.nowMs += 1000
  await offer(900_000)
  const accepted = await api.call('POST', path, { ...sent, headers })
  t.match(accepted, { status: 409, body: { error: { code: 'invalid_state' } } })
  t.match(await get(api, 'quotes/' + quote.id), { status: 'offered', accepted_at: null })
  const anew = await change(api, 'POST quotes/' + quote.id + '/accept')
  t.match(anew.body, { status: 'accepted', offer: { base_cents: 900_000 } })
})

test('an acceptance that names an offer accepts no other one', async (t) => {
  const api = await startTestApi(BILLED)
  const sent = { key: api.tenant.keys.admin }
  const operator = await seedOperator(api.sql)
  const body = { volumes: VOLUMES, contact: CONTACT }
  const { body: quote } = await api.call('POST', '/v1/billing/quotes', { ...sent, body })
  t.equal(quote.offer_digest, null)
  const expires_at = api.clock.nowMs / 1000 + 86_400
  const offer = async (base_cents: number): Promise<string> => {
    const offered = { key: operator, body: { ...TERMS, base_cents, expires_at } }
    const { body } = await api.call('POST', '/operator/v1/quotes/' + quote.id + '/offer', offered)
    return body.offer_digest
  }
  const first = await offer(100_000)
  const second = await offer(900_000)
  t.match(first, /^[0-9a-f]{64}$/)
  t.not(first, second)
  t.equal(await offer(900_000), second, 'the same terms have one digest')
  const accept = (offer_digest: string) =>
    change(api, 'POST quotes/' + quote.id + '/accept', { offer_digest })
  t.match(await accept(first), {
    status: 409,
    body: { error: { code: 'invalid_state', message: /offer was replaced/ } },
  })
  await code(t, accept('00'), 400, 'parameter_invalid')
  t.match(await get(api, 'quotes/' + quote.id), { status: 'offered', offer_digest: second })
  t.match((await accept(second)).body, { status: 'accepted', offer: { base_cents: 900_000 } })
})

test('a quote is offered, accepted by a person and provisioned', async (t) => {
  const api = await startTestApi(BILLED)
  const { keys, tenantId } = api.tenant
  const operator = await seedOperator(api.sql)
  const operate = (method: string, path: string, body?: object) =>
    api.call(method, '/operator/v1/' + path, { key: operator, ...(body && { body }) })
  const body = { volumes: VOLUMES, contact: CONTACT, note: 'From spring on' }
  const request = () => api.call('POST', '/v1/billing/quotes', { key: keys.admin, body })
  const { body: asked, status } = await request()
  t.equal(status, 201)
  t.match(asked, { status: 'requested', volumes: VOLUMES, contact: CONTACT, offer: null })
  const [event] = await eventsOf(api, asked.id)
  t.same([event.type, event.data], ['billing.enterprise_quote_requested', { quote: asked }])
  t.match((await request()).body, { error: { code: 'already_exists', resource_id: asked.id } })
  const path = 'quotes/' + asked.id
  await code(t, change(api, 'POST ' + path + '/accept'), 409, 'invalid_state')
  const expiresAt = api.clock.nowMs / 1000 + 86_400
  const offer = (at: number) => operate('POST', path + '/offer', { ...TERMS, expires_at: at })
  await code(t, offer(expiresAt - 86_400), 400, 'parameter_invalid')
  await code(t, offer(expiresAt + 91 * 86_400), 400, 'parameter_invalid')
  t.match((await offer(expiresAt)).body, { status: 'offered', offer: TERMS })
  const accept = () => change(api, 'POST ' + path + '/accept')
  api.clock.nowMs += DAY_MS
  t.match(await get(api, path), { status: 'expired' })
  await code(t, accept(), 409, 'invalid_state')
  await offer(expiresAt + 86_400)
  t.match((await accept()).body, { status: 'accepted', accepted_by: /^user_/ })
  const plan = 'tenants/' + tenantId + '/enterprise_plan'
  const by = { environment: 'sandbox', quote_id: asked.id }
  await code(t, operate('POST', plan, { ...by, contract: 'C-1' }), 400, 'parameters_exclusive')
  const foreign = { ...by, quote_id: 'quo_none' }
  await code(t, operate('POST', plan, foreign), 404, 'resource_missing')
  const { body: provisioned } = await operate('POST', plan, by)
  t.match(provisioned, {
    ...{ status: 'active', plan: { key: 'enterprise', version: asked.id }, previous_plan: null },
    ...{ currency: 'EUR', collection: { method: 'send_invoice', net_days: 30 } },
  })
  t.match(await get(api, path), { status: 'provisioned' })
  const events = await eventsOf(api, provisioned.id)
  t.same(
    events.map(({ type, data }) => [type, data.subscription]),
    [
      ['billing.enterprise_quote_provisioned', provisioned],
      ['billing.plan_changed', provisioned],
    ],
  )
  const limits = { realtime: true, rate_factor: 4, endpoints_max: 12 }
  t.match(await get(api, 'entitlements'), { status: 'active', ...limits })
  t.match((await operate('GET', 'tenants/' + tenantId + '/billing/sandbox')).body, {
    ...{ id: tenantId, billed: true, subscription: provisioned },
  })
  await code(t, operate('POST', plan, by), 409, 'invalid_state')
  const told = await api.call('GET', '/v1/audit_log?limit=1', { key: keys.admin })
  t.match(told.body.data[0], { actor: { type: 'operator' } })
})

test('a quote is withdrawn or declined, and another may follow', async (t) => {
  const api = await startTestApi(BILLED)
  const operator = await seedOperator(api.sql)
  const body = { volumes: VOLUMES, contact: CONTACT }
  const request = async () => (await change(api, 'POST quotes', body)).body.id
  const first = await request()
  t.match((await change(api, 'POST quotes/' + first + '/withdraw')).body, { status: 'withdrawn' })
  const second = await request()
  const decline = { key: operator, body: { reason: 'Too small' } }
  const declined = await api.call('POST', '/operator/v1/quotes/' + second + '/decline', decline)
  t.match(declined.body, { status: 'declined', decline_reason: 'Too small' })
  await code(t, change(api, 'POST quotes/' + second + '/withdraw'), 409, 'invalid_state')
  t.match((await get(api, 'quotes')).data, [{ id: second }, { id: first }])
  const all = await api.call('GET', '/operator/v1/quotes?limit=2', { key: operator })
  t.match(all.body.data, [{ id: second }, { id: first }])
  await code(t, change(api, 'POST quotes', { ...body, volumes: {} }), 400, 'parameter_invalid')
})

test('a contract makes a trial an enterprise plan, and an override replaces its status', async (t) => {
  const api = await startTestApi(BILLED)
  const operator = await seedOperator(api.sql)
  const tenant = '/operator/v1/tenants/' + api.tenant.tenantId
  const put = (more: object) =>
    api.call('PUT', tenant + '/dunning_override/sandbox', {
      key: operator,
      body: { state: 'suspended', reason: 'Fraud review', ...more },
    })
  const seconds = () => api.clock.nowMs / 1000
  await code(t, put({ expires_at: seconds() + 60 }), 409, 'invalid_state')
  const { id } = (await change(api, 'POST trial', { plan: 'starter' })).body
  const body = { environment: 'sandbox', contract: 'C-17/2026', terms: TERMS }
  const made = await api.call('POST', tenant + '/enterprise_plan', { key: operator, body })
  t.match(made.body, {
    id,
    status: 'active',
    plan: { version: 'C-17/2026' },
    previous_plan: 'starter',
  })
  await code(t, put({ expires_at: seconds() }), 400, 'parameter_invalid')
  await code(t, put({ expires_at: seconds() + 91 * 86_400 }), 400, 'parameter_invalid')
  await code(t, put({ expires_at: seconds() + 60, reason: '' }), 400, 'parameter_invalid')
  const expires_at = seconds() + 3600
  const { body: overridden } = await put({ expires_at })
  const override = { state: 'suspended', reason: 'Fraud review', expires_at }
  t.match(overridden, {
    status: 'suspended',
    status_reason: 'overridden',
    dunning_override: override,
  })
  t.match(await get(api, 'entitlements'), { issuing: false, authorizations: false })
  await put({ expires_at })
  await put({ expires_at, state: 'active' })
  const lift = await api.call('DELETE', tenant + '/dunning_override/sandbox', {
    key: operator,
  })
  t.match(lift.body, { status: 'active', status_reason: null, dunning_override: null })
  await put({ expires_at })
  api.clock.nowMs += 3_600_000
  t.match(await get(api, 'subscription'), { status: 'active', dunning_override: null })
  const types = (await eventsOf(api, id)).map(({ type }) => type)
  const OVERRIDDEN = 'billing.dunning_state_overridden'
  t.same(types, [
    ...['billing.trial_started', 'billing.enterprise_quote_provisioned', 'billing.plan_changed'],
    ...[OVERRIDDEN, OVERRIDDEN, OVERRIDDEN],
  ])
})

test('an environment without a processor is not billed', async (t) => {
  const api = await startTestApi(BILLED)
  const { keys } = api.live
  const read = (path: string) => api.call('GET', '/v1/billing/' + path, { key: keys.read })
  t.match((await read('entitlements')).body, { issuing: true, authorizations: true })
  t.match((await read('plans')).body.data, [
    { key: 'starter', month_cents: 4900 },
    { key: 'growth', year_cents: 499_000 },
  ])
  const call = { key: keys.admin, body: { plan: 'starter' } }
  const trial = callApproved(api, 'POST', '/v1/billing/trial', call)
  await code(t, trial, 403, 'feature_not_enabled')
})

test('a hundred requests of a quote at once open one', async (t) => {
  const api = await startTestApi(BILLED)
  const { keys } = api.tenant
  const body = { volumes: VOLUMES, contact: CONTACT }
  const answers = await Promise.all(
    Array.from({ length: 100 }, () =>
      api.call('POST', '/v1/billing/quotes', { key: keys.admin, body }),
    ),
  )
  const statuses = answers.map(({ status }) => status)
  t.equal(statuses.filter((status) => status === 201).length, 1)
  t.ok(statuses.every((status) => [201, 409, 429, 503].includes(status)))
  t.equal((await get(api, 'quotes')).data.length, 1)
})
