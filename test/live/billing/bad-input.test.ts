// Bad input of billing, a table: each call is refused with its code, and changes nothing.
import { type Test, test } from 'tap'
import type { Answer, TestApi } from '../../harness/api.ts'
import { BILLED, CONTRACT, changeBilling, provision, readBilling } from '../../harness/billing.ts'
import { startIssuingApi } from '../../harness/issuing.ts'
import { seedOperator } from '../../harness/operator.ts'
import { callApproved } from '../../harness/person.ts'

const PLAN = { plan: 'starter', interval: 'month', currency: 'USD' }
const QUOTE = {
  volumes: { authorizations: 1_000_000 },
  contact: { name: 'Ada', email: 'ada@tenant.example' },
}
const RETURN = { return_url: 'https://tenant.example/billing' }

/** Calls that need a person's approval, with a body that is in order. */
const APPROVED: readonly (readonly [call: string, body?: object])[] = [
  ['POST trial', { plan: 'starter' }],
  ['POST subscription', PLAN],
  ['PATCH subscription', { plan: 'growth' }],
  ['POST subscription/cancel'],
  ['POST subscription/revert'],
  ['PUT addons/identity_checks', { enabled: true }],
  ['POST portal_sessions', RETURN],
  ['POST quotes/quo_nobody/accept'],
]
const CHANGES = [
  ...APPROVED,
  ['POST quotes', QUOTE],
  ['POST quotes/quo_nobody/withdraw'],
] as readonly (readonly [call: string, body?: object])[]

function ask(api: TestApi, call: string, sent: { key: string; body?: object }): Promise<Answer> {
  const [method = '', path = ''] = call.split(' ')
  return api.call(method, '/v1/billing/' + path, sent)
}

function refused(t: Test, { status, body }: Answer, [code, want]: [string, number], name: string) {
  t.match({ status, error: body.error }, { status: want, error: { code } }, name)
}

test('a weaker key changes nothing, and a change without its factor neither', async (t) => {
  const api = await startIssuingApi(BILLED)
  const { read, write, publishable, admin } = api.tenant.keys
  for (const [call, body] of CHANGES) {
    const sent = body === undefined ? {} : { body }
    for (const key of [read, write])
      refused(t, await ask(api, call, { key, ...sent }), ['insufficient_scope', 403], call)
    const open = await ask(api, call, { key: publishable, ...sent })
    t.equal(open.status, 403, call + ' with a publishable key')
  }
  for (const [call, body] of APPROVED) {
    const sent = { key: admin, ...(body === undefined ? {} : { body }) }
    refused(t, await ask(api, call, sent), ['factor_required', 403], call)
  }
  t.match(await readBilling(api, 'subscription'), { status: 'none' })
})

test('a factor approves its body alone, and a key repeats its request alone', async (t) => {
  const api = await startIssuingApi(BILLED)
  const key = api.tenant.keys.admin
  const path = '/v1/billing/trial'
  const asked = await api.call('POST', path, { key, body: { plan: 'starter' } })
  const { id } = asked.body.error.challenge
  await api.sql`
    insert into identities (id, email, name, created_at) values ('idn_f', 'f@f.example', 'F', 0)`
  await api.sql`
    insert into users (id, tenant_id, identity_id, role, created_at)
    values ('user_f', ${api.tenant.tenantId}, 'idn_f', 'owner', 0)`
  await api.sql`
    update factor_challenges set state = 'approved', decided_at = ${api.clock.nowMs},
      decided_by = 'user_f', decided_with = 'totp' where id = ${id}`
  const { token } = (await api.call('GET', '/v1/factor_challenges/' + id, { key })).body
  const headers = { 'svc-factor': token }
  const other = await api.call('POST', path, { key, body: { plan: 'growth' }, headers })
  t.equal(other.status, 403, other.text)
  t.match(await readBilling(api, 'subscription'), { status: 'none' })
  const once = { 'idempotency-key': 'trial-1' }
  const begun = await callApproved(api, 'POST', path, {
    ...{ key, headers: once, body: { plan: 'starter' } },
  })
  t.equal(begun.status, 201)
  const reused = await api.call('POST', path, { key, headers: once, body: { plan: 'growth' } })
  refused(t, reused, ['idempotency_key_reused', 422], 'another request')
  const again = await api.call('POST', path, { key, headers: once, body: { plan: 'starter' } })
  t.same(again.body, begun.body, 'the same request has the same answer')
})

const UNKNOWN: readonly (readonly [call: string, body: object, code: string])[] = [
  ['POST trial', { plan: 'gold' }, 'parameter_invalid'],
  ['POST trial', { plan: 'starter', coupon: 'X' }, 'parameter_unknown'],
  ['POST subscription', { ...PLAN, plan: 'gold' }, 'parameter_invalid'],
  ['POST subscription', { ...PLAN, interval: 'week' }, 'parameter_invalid'],
  ['POST subscription', { ...PLAN, currency: 'GBP' }, 'parameter_invalid'],
  ['POST subscription', { ...PLAN, starts: 'tomorrow' }, 'parameter_invalid'],
  ['POST subscription', { ...PLAN, coupon: 'X' }, 'parameter_unknown'],
  ['PATCH subscription', { interval: 'week' }, 'parameter_invalid'],
  ['PATCH subscription', { plan: 'growth', effective: 'later' }, 'parameter_invalid'],
  ['PATCH subscription', { plan: 'growth', prorate_at: '1' }, 'parameter_invalid'],
  ['PUT addons/identity_checks', { enabled: 'yes' }, 'parameter_invalid'],
  ['PUT addons/identity_checks', { enabled: true, until: 1 }, 'parameter_unknown'],
  ['POST quotes', { ...QUOTE, volumes: { wings: 5 } }, 'parameter_unknown'],
  ['POST quotes', { ...QUOTE, volumes: { authorizations: -1 } }, 'parameter_invalid'],
  ['POST quotes', { ...QUOTE, contact: { name: 'Ada', email: 'ada' } }, 'parameter_invalid'],
  ['POST portal_sessions', { ...RETURN, plan: 'growth' }, 'parameter_unknown'],
]

test('an unknown word or field is refused before anybody is asked to approve', async (t) => {
  const api = await startIssuingApi(BILLED)
  const key = api.tenant.keys.admin
  for (const [call, body, code] of UNKNOWN)
    refused(t, await ask(api, call, { key, body }), [code, 400], call + JSON.stringify(body))
  for (const query of ['usage?meter=wings', 'invoice_preview?plan=gold', 'invoices?limit=0'])
    t.equal((await ask(api, 'GET ' + query, { key })).status, 400, query)
  for (const path of ['invoices/inv_nobody', 'quotes/quo_nobody', 'notices/ntc_nobody'])
    refused(t, await ask(api, 'GET ' + path, { key }), ['resource_missing', 404], path)
  const wings = await ask(api, 'PUT addons/wings', { key, body: { enabled: true } })
  t.equal(wings.status, 404, 'an unknown add-on')
})

test('bad calls of operators are refused, and the subscription stays as it was', async (t) => {
  const api = await startIssuingApi(BILLED)
  const operator = await seedOperator(api.sql)
  const tenant = '/operator/v1/tenants/' + api.tenant.tenantId
  await provision(api)
  const before = await readBilling(api, 'subscription')
  const now = api.clock.nowMs / 1000
  const override = { state: 'suspended', reason: 'Review', expires_at: now + 60 }
  const by = { environment: 'sandbox', reason: 'Doubled' }
  const adjustment = { ...by, month: 0, meter: 'authorizations', quantity: 5 }
  const plan = { environment: 'sandbox', contract: 'C-2', terms: CONTRACT }
  const rows: readonly (readonly [method: string, path: string, body: object, status: number])[] = [
    ...[now, now - 1, now + 90 * 86_400 + 1, 1.5, 'x', 2 ** 53].map(
      (expires_at) =>
        ['PUT', '/dunning_override/sandbox', { ...override, expires_at }, 400] as const,
    ),
    ['PUT', '/dunning_override/sandbox', { ...override, reason: '' }, 400],
    ['PUT', '/dunning_override/sandbox', { ...override, state: 'paid' }, 400],
    ['PUT', '/dunning_override/sandbox', { ...override, coupon: 1 }, 400],
    ...[0, 1.5, 2 ** 53, -(2 ** 53), -1, 'x', null].map(
      (quantity) => ['POST', '/usage_adjustments', { ...adjustment, quantity }, 400] as const,
    ),
    ['POST', '/usage_adjustments', { ...adjustment, month: -1 }, 400],
    ['POST', '/usage_adjustments', { ...adjustment, month: 1 }, 400],
    ['POST', '/usage_adjustments', { ...adjustment, meter: 'wings' }, 400],
    ['POST', '/usage_adjustments', { ...adjustment, reason: '' }, 400],
    ...[0, -5, 1.5, 2 ** 53].map(
      (amount_cents) => ['POST', '/billing_credits', { ...by, amount_cents }, 400] as const,
    ),
    ['POST', '/enterprise_plan', { ...plan, terms: { ...CONTRACT, base_cents: -1 } }, 400],
    ['POST', '/enterprise_plan', { ...plan, terms: { ...CONTRACT, rate_factor: 21 } }, 400],
    ['POST', '/enterprise_plan', { ...plan, terms: { ...CONTRACT, net_days: 0 } }, 400],
    ['POST', '/enterprise_plan', { ...plan, terms: { ...CONTRACT, currency: 'GBP' } }, 400],
    ['POST', '/enterprise_plan', { ...plan, terms: { ...CONTRACT, currency: 'EUR' } }, 409],
    ['POST', '/enterprise_plan', { environment: 'sandbox', quote_id: 'quo_nobody' }, 404],
  ]
  for (const [method, path, body, status] of rows) {
    const answer = await api.call(method, tenant + path, { key: operator, body })
    t.equal(answer.status, status, path + ' ' + JSON.stringify(body) + ' ' + answer.text)
  }
  const foreign = '/operator/v1/tenants/ten_nobody/billing_credits'
  const nobody = await api.call('POST', foreign, {
    ...{ key: operator, body: { ...by, amount_cents: 5 } },
  })
  t.equal(nobody.status, 404)
  t.same(await readBilling(api, 'subscription'), before)
})

test('another currency than that of the invoices is refused for good', async (t) => {
  const api = await startIssuingApi(BILLED)
  await provision(api, { currency: 'EUR' })
  await changeBilling(api, 'POST subscription/cancel')
  const { base_period } = await readBilling(api, 'subscription')
  await api.call('POST', '/v1/sandbox/clock', {
    ...{ key: api.tenant.keys.admin },
    body: { to: new Date(base_period.until * 1000).toISOString() },
  })
  const again = await changeBilling(api, 'POST subscription', PLAN)
  refused(t, again, ['invalid_state', 409], 'dollars')
})
