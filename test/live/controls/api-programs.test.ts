import { test } from 'tap'
import { PROGRAM_DEFAULTS } from '../../../shared/wire/config-records.ts'
import { type Answer, startTestApi, type TestApi } from '../../harness/api.ts'

function get(api: TestApi, path = ''): Promise<Answer> {
  return api.call('GET', '/v1/programs' + path, { key: api.tenant.keys.read })
}

function patch(api: TestApi, body: unknown, programId = api.tenant.programId): Promise<Answer> {
  return api.call('PATCH', '/v1/programs/' + programId, { key: api.tenant.keys.admin, body })
}

async function versionOf(api: TestApi): Promise<number> {
  const [row] = await api.sql`select version from programs where id = ${api.tenant.programId}`
  return row?.['version']
}

test('a new program asks no tenant, and only its rule about wrong CVCs suspends', async (t) => {
  const api = await startTestApi()
  const { programId } = api.tenant
  const { body } = await get(api, '/' + programId)
  t.match(body, {
    id: programId,
    object: 'program',
    livemode: false,
    status: 'active',
    realtime: false,
    realtime_endpoint_id: null,
    stand_in: 'controls',
    stand_in_policy: null,
    hold_expiry: [],
    hold_adjustments: [],
    fx_margin_bps: 0,
    ...PROGRAM_DEFAULTS,
    time_zone: 'UTC',
  })
  t.match(body.fraud_rules, [
    { name: 'card_testing', state: 'draft', count: 10, seconds: 60, amount_cents: 500 },
    { name: 'cvc_failures', state: 'active', count: 5, seconds: 3600, amount_cents: null },
    { name: 'pin_failures', state: 'draft', count: 5, seconds: 3600, amount_cents: null },
  ])
  t.same((await get(api)).body.data, [body])
  t.equal((await get(api, '/' + api.other.programId)).status, 404)
})

test('settings are changed, stored as written, and sent to the engine', async (t) => {
  const api = await startTestApi()
  const settings = {
    stand_in: 'decline',
    hold_expiry: [{ mccs: ['7011'], card_present: true, initiator: null, hours: 720 }],
    hold_adjustments: [
      { mccs: ['5812', '3000-3299'], mode: 'add_percent', value: 20, max_cents: 5000 },
    ],
    fx_margin_bps: 150,
    billing_tolerance_bps: 250,
    billing_mismatch_action: 'decline',
    credit_limit: { per_authorization_cents: 700, per_card_per_day_cents: null },
    time_zone: 'america/new_york',
  }
  const changed = await patch(api, settings)
  t.equal(changed.status, 200, changed.text)
  t.match(changed.body, { ...settings, time_zone: 'America/New_York', realtime: false })
  t.same((await get(api, '/' + api.tenant.programId)).body, changed.body)
  t.equal(api.engine.asked.length, 1, 'the call waited for the engine')
  const before = await versionOf(api)
  t.same((await patch(api, settings)).body, changed.body)
  t.equal(await versionOf(api), before, 'writing what is there changes nothing')
  t.equal(api.engine.asked.length, 2, 'and waits again')
})

test('a stand-in policy is replaced whole, counts its versions and follows the program’s choice', async (t) => {
  const api = await startTestApi()
  const first = await patch(api, { stand_in_policy: { max_per_hour_cents: 100_000 } })
  t.same(first.body.stand_in_policy, {
    version: 1,
    max_per_authorization_cents: null,
    max_per_card_per_day_cents: null,
    max_per_hour_cents: 100_000,
    excluded_kinds: ['cash_withdrawal', 'quasi_cash', 'original_credit'],
  })
  const second = await patch(api, { stand_in_policy: { excluded_kinds: [] } })
  t.match(second.body.stand_in_policy, { version: 2, max_per_hour_cents: null, excluded_kinds: [] })
  const declining = await patch(api, { stand_in: 'decline' })
  t.match(declining.body, { stand_in: 'decline', stand_in_policy: { version: 3 } })
  const [row] =
    await api.sql`select stand_in_policy from programs where id = ${api.tenant.programId}`
  t.match(row?.['stand_in_policy'], { action: 'decline', version: 3 })
  t.equal((await patch(api, { stand_in_policy: null })).body.stand_in_policy, null)
})

test('real time needs an entitlement to be turned on, and none to be turned off', async (t) => {
  const api = await startTestApi()
  const refused = await patch(api, { realtime: true })
  t.equal(refused.status, 403)
  t.match(refused.body.error, {
    type: 'permission_denied',
    code: 'feature_not_enabled',
    param: 'realtime',
  })
  t.equal((await patch(api, { realtime: false })).status, 200)
  await api.sql`update tenants set realtime_entitled = true where id = ${api.tenant.tenantId}`
  t.match(await patch(api, { realtime: true }), { status: 200, body: { realtime: true } })
  await api.sql`update tenants set realtime_entitled = false where id = ${api.tenant.tenantId}`
  t.equal((await patch(api, { fx_margin_bps: 1 })).status, 200, 'what else it sets stays open')
  t.match(await patch(api, { realtime: false }), { status: 200, body: { realtime: false } })
})

test('fraud rules are changed one by one', async (t) => {
  const api = await startTestApi()
  const rule = { name: 'cvc_failures', state: 'active', count: 3, seconds: 600, amount_cents: null }
  const { body } = await patch(api, { fraud_rules: [rule] })
  t.match(body.fraud_rules, [{ name: 'card_testing', state: 'draft' }, rule, { state: 'draft' }])
})

test('contradictory settings are refused by field and change nothing', async (t) => {
  const api = await startTestApi()
  const rule = { name: 'pin_failures', state: 'draft', count: 3, seconds: 600, amount_cents: null }
  const expiry = { mccs: null, card_present: null, initiator: null, hours: 24 }
  const adjustment = { mccs: ['5812'], mode: 'add_amount', value: 1, max_cents: null }
  const table: [object, string | null][] = [
    [{}, null],
    [{ stand_in: 'maybe' }, 'stand_in'],
    [{ realtime: 'yes' }, 'realtime'],
    [{ fx_margin_bps: -1 }, 'fx_margin_bps'],
    [{ fx_margin_bps: 10_001 }, 'fx_margin_bps'],
    [{ billing_tolerance_bps: -1 }, 'billing_tolerance_bps'],
    [{ billing_tolerance_bps: 10_001 }, 'billing_tolerance_bps'],
    [{ billing_mismatch_action: 'believe' }, 'billing_mismatch_action'],
    [{ credit_limit: null }, 'credit_limit'],
    [{ credit_limit: { per_authorization_cents: -1 } }, '/credit_limit/per_authorization_cents'],
    [{ credit_limit: { per_month_cents: 1 } }, '/credit_limit/per_month_cents'],
    [{ time_zone: 'Mars/Olympus' }, 'time_zone'],
    [{ time_zone: '+02:00' }, 'time_zone'],
    [{ stand_in_policy: { max_per_hour_cents: -1 } }, '/stand_in_policy/max_per_hour_cents'],
    [{ stand_in_policy: { excluded_kinds: ['capture'] } }, '/stand_in_policy/excluded_kinds/0'],
    [{ stand_in_policy: { action: 'decline' } }, '/stand_in_policy/action'],
    [{ stand_in_policy: { max_per_hour: 1 } }, '/stand_in_policy/max_per_hour'],
    [{ fraud_rules: [{ ...rule, count: 1 }] }, '/fraud_rules/0/count'],
    [{ fraud_rules: [{ ...rule, count: 1001 }] }, '/fraud_rules/0/count'],
    [{ fraud_rules: [{ ...rule, seconds: 9 }] }, '/fraud_rules/0/seconds'],
    [{ fraud_rules: [{ ...rule, amount_cents: 1 }] }, '/fraud_rules/0/amount_cents'],
    [{ fraud_rules: [{ ...rule, name: 'card_testing' }] }, '/fraud_rules/0/amount_cents'],
    [{ fraud_rules: [rule, { ...rule, count: 4 }] }, '/fraud_rules/1/name'],
    [{ fraud_rules: [{ ...rule, name: 'luck' }] }, '/fraud_rules/0/name'],
    [{ hold_expiry: [{ ...expiry, hours: 23 }] }, '/hold_expiry/0/hours'],
    [{ hold_expiry: [{ ...expiry, hours: 841 }] }, '/hold_expiry/0/hours'],
    [{ hold_expiry: [{ ...expiry, mccs: ['3000-3299'] }] }, '/hold_expiry/0/mccs/0'],
    [{ hold_expiry: Array.from({ length: 33 }, () => expiry) }, 'hold_expiry'],
    [{ hold_adjustments: [{ ...adjustment, mccs: [] }] }, '/hold_adjustments/0/mccs'],
    [
      { hold_adjustments: [{ ...adjustment, mccs: ['5812', '3299-3000'] }] },
      '/hold_adjustments/0/mccs/1',
    ],
    [
      { hold_adjustments: [{ ...adjustment, mode: 'add_percent', value: 101 }] },
      '/hold_adjustments/0/value',
    ],
    [{ status: 'suspended' }, 'status'],
  ]
  const before = await versionOf(api)
  for (const [body, param] of table) {
    const answer = await patch(api, body)
    t.same([answer.status, answer.body.error?.param], [400, param], JSON.stringify(body))
  }
  t.equal(await versionOf(api), before)
})

test('only an admin key changes a program', async (t) => {
  const api = await startTestApi()
  const answer = await api.call('PATCH', '/v1/programs/' + api.tenant.programId, {
    key: api.tenant.keys.write,
    body: { fx_margin_bps: 1 },
  })
  t.equal(answer.status, 403)
  t.match(answer.body.error, { code: 'insufficient_scope', required_scope: 'admin' })
})
