import { type Test, test } from 'tap'
import type { ChainConfig } from '../../../api/payments/chain/chain-config.ts'
import { newId } from '../../../shared/id.ts'
import { type Answer, startTestApi, type TestApi } from '../../harness/api.ts'
import { seedOperator } from '../../harness/operator.ts'
import { approve, callApproved } from '../../harness/person.ts'
import { SEEDED_AT_MS, type TestTenant } from '../../harness/tenant.ts'

const TOKEN = '0x52908400098527886E0F7030069857D2E4169EE7'
const SETTLEMENT = '0x8617E340B3D01FA5F11F306F4090FD50E238070D'
const PAYEE = '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed'
const place = { token: TOKEN, settlement: SETTLEMENT, finality: 'finalized', least: 1 } as const
const chain = (environment: 'sandbox' | 'live', chainId: number): ChainConfig => ({
  ...{ ...place, environment, chainId, genesisHash: '0x00', rpcUrls: [], maxFeeWei: 1n },
  signer: { kind: 'local' },
})
const CHAINS: { sandbox: ChainConfig | null; live: ChainConfig | null } = {
  ...{ sandbox: chain('sandbox', 31_337), live: chain('live', 8453) },
}
const BODY = { address: PAYEE, name: 'Shop', mcc: '5942', country: 'US' }

async function make(api: TestApi, tenant: TestTenant, change: object): Promise<Answer> {
  const call = { key: tenant.keys.admin, body: { ...BODY, ...change } }
  return callApproved(api, 'POST', '/v1/settlement_accounts', call)
}

async function refused(t: Test, api: TestApi, address: string, reason: string): Promise<void> {
  const { status, body } = await make(api, api.tenant, { address })
  const error = { code: 'address_refused', param: 'address', reason }
  t.match({ status, body }, { status: 400, body: { error } })
}

test('a settlement account is made, read, changed and disabled', async (t) => {
  const api = await startTestApi({ chains: CHAINS })
  const { keys } = api.tenant
  const asked = await api.call('POST', '/v1/settlement_accounts', { key: keys.admin, body: BODY })
  t.match(asked.body, { error: { code: 'factor_required' } }, 'a person approves')
  const wider = await api.call('POST', '/v1/settlement_accounts', { key: keys.write, body: BODY })
  t.match(wider.body, { error: { code: 'insufficient_scope' } })
  const blank = { ...BODY, name: ' ' }
  const unnamed = await api.call('POST', '/v1/settlement_accounts', {
    key: keys.admin,
    body: blank,
  })
  t.match(unnamed.body, { error: { code: 'parameter_invalid', param: 'name' } })
  const made = await make(api, api.tenant, { external_id: 'shop-1' })
  t.equal(made.status, 201)
  t.match(made.body, {
    ...{ object: 'settlement_account', status: 'usable', address: PAYEE, chain_id: 31_337 },
    ...{ schedule: { interval: 'continuous' }, fee_bps: 0, external_id: 'shop-1' },
  })
  const path = '/v1/settlement_accounts/' + made.body.id
  t.same((await api.call('GET', path, { key: keys.read })).body, made.body)
  const listed = await api.call('GET', '/v1/settlement_accounts?external_id=shop-1', {
    key: keys.read,
  })
  t.same(listed.body.data, [made.body])
  const schedule = { interval: 'daily', hour: 6 }
  const changed = await callApproved(api, 'PATCH', path, { key: keys.admin, body: { schedule } })
  t.match(changed.body, { schedule, name: 'Shop' })
  const body = { schedule: { interval: 'continuous', hour: 6 } }
  t.equal((await api.call('PATCH', path, { key: keys.admin, body })).status, 400)
  const call = { key: keys.admin }
  const alone = await api.call('POST', path + '/disable', call)
  t.match([alone.status, alone.body], [403, { error: { code: 'factor_required' } }])
  t.equal((await api.call('GET', path, call)).body.status, 'usable', 'a key alone changes nothing')
  const approval = await approve(api, alone, call)
  const second = await make(api, api.tenant, { name: 'Second' })
  const other = '/v1/settlement_accounts/' + second.body.id
  const factor = { ...call, headers: approval }
  t.match((await api.call('POST', other + '/disable', factor)).body, {
    error: { code: 'factor_required' },
  })
  t.match((await api.call('GET', other, call)).body, { status: 'usable' })
  t.match((await api.call('POST', path + '/disable', factor)).body, { status: 'disabled' })
  const [logged] = await api.sql`
    select approved_by from audit_log where resource_id = ${made.body.id} order by seq desc limit 1`
  t.match(logged, { approved_by: /^[a-z]+_/ }, 'the audit log names the person')
  t.equal((await api.call('GET', path, { key: api.other.keys.read })).status, 404)
})

test('no money is sent to an address that nobody or the chain itself owns', async (t) => {
  const api = await startTestApi({ chains: CHAINS })
  const { tenant, sql } = api
  await refused(t, api, PAYEE.toLowerCase(), 'checksum')
  await refused(t, api, '0x' + '0'.repeat(40), 'zero')
  await refused(t, api, '0x' + '100'.padStart(40, '0'), 'precompile')
  await refused(t, api, TOKEN, 'token')
  await refused(t, api, SETTLEMENT, 'settlement')
  const holder = '0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d359'
  await sql`
    insert into payment_accounts (id, tenant_id, environment, program_id, cardholder_id, status,
      chain_id, address, created_at)
    values (${newId('pacc', SEEDED_AT_MS)}, ${tenant.tenantId}, 'sandbox', ${tenant.programId},
      ${tenant.cardholderId}, 'active', 31337, ${holder}, ${SEEDED_AT_MS})`
  await refused(t, api, holder, 'holder')
  t.match((await make(api, tenant, { address: '0x12' })).body, {
    error: { code: 'parameter_invalid', param: 'address' },
  })
})

test('live waits a day for an address, and needs the entitlement', async (t) => {
  const api = await startTestApi({ chains: CHAINS })
  const { live, sql } = api
  await sql`update tenants set kyb_status = 'approved' where id = ${live.tenantId}`
  t.match((await make(api, live, {})).body, { error: { code: 'feature_not_enabled' } })
  const cardholder = { cardholder_id: live.cardholderId }
  const payment = {
    ...{ payment_account_id: 'pacc_1', settlement_account_id: 'sacc_1', amount_cents: 1 },
  }
  for (const [path, body] of Object.entries({ payment_accounts: cardholder, payments: payment }))
    t.match((await api.call('POST', '/v1/' + path, { key: live.keys.write, body })).body, {
      error: { code: 'feature_not_enabled' },
    })
  await sql`update tenants set payments_entitled = true where id = ${live.tenantId}`
  const { body } = await make(api, live, {})
  t.match(body, { status: 'waiting', chain_id: 8453, livemode: true })
  api.clock.nowMs += 86_400_000
  const path = '/v1/settlement_accounts/' + body.id
  t.match((await api.call('GET', path, { key: live.keys.read })).body, { status: 'usable' })
})

test('operators run, pause and resume settling', async (t) => {
  const api = await startTestApi({ chains: CHAINS })
  const key = await seedOperator(api.sql)
  const call = (method: string, path: string, body?: object) =>
    api.call(method, '/operator/v1/' + path, { key, ...(body === undefined ? {} : { body }) })
  t.match((await call('GET', 'chains/sandbox')).body, { error: { code: 'resource_missing' } })
  await api.sql`
    insert into settlement_wallets (chain_id, address, stopped) values (31337, ${PAYEE},
      '{"reason": "foreign_transaction", "detail": "nonce 4", "nonce": 4, "at": 0}')
    on conflict (chain_id) do update set stopped = excluded.stopped`
  t.match((await call('GET', 'chains/sandbox')).body, {
    ...{ sponsor: PAYEE, in_flight: 0, stopped: { reason: 'foreign_transaction' } },
  })
  t.match((await call('POST', 'chains/sandbox/pause')).body, {
    stopped: { reason: 'foreign_transaction' },
  })
  t.match((await call('POST', 'chains/sandbox/resume')).body, { stopped: null })
  t.match(await api.sql`select known_nonce from settlement_wallets where chain_id = 31337`, [
    { known_nonce: 5 },
  ])
  t.match((await call('POST', 'chains/sandbox/pause')).body, { stopped: { reason: 'paused' } })
  const { tenantId } = api.tenant
  const run = (id: string) =>
    call('POST', 'tenants/' + id + '/settlement_runs', { environment: 'sandbox' })
  t.match((await run('ten_none')).body, { error: { code: 'resource_missing' } })
  t.match((await run(tenantId)).body, { error: { code: 'invalid_state' } })
  t.match((await call('GET', 'settlement_batches?review=open')).body, { data: [] })
})

test('an environment without a chain has no settlement accounts', async (t) => {
  const api = await startTestApi({ chains: CHAINS })
  const key = await seedOperator(api.sql)
  CHAINS.sandbox = null
  const { status, body } = await make(api, api.tenant, {})
  t.match({ status, body }, { status: 503, body: { error: { code: 'chain_not_configured' } } })
  t.equal((await api.call('GET', '/operator/v1/chains/sandbox', { key })).status, 503)
})
