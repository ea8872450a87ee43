// Rights by plan and status: at the gate of the API, in caps and bounds, and in the records that
// the engine decides from.
import { type Test, test } from 'tap'
import { entitlementsJob } from '../../../api/billing/subscriptions/index.ts'
import { readConfig } from '../../../api/engine-link/config-rows.ts'
import type { ProgramConfig } from '../../../shared/wire/config-records.ts'
import type { Answer, TestApi } from '../../harness/api.ts'
import { startIssuingApi } from '../../harness/issuing.ts'
import { runJob } from '../../harness/jobs.ts'
import { openLocalApi } from '../../harness/local-api.ts'
import { seedOperator } from '../../harness/operator.ts'
import { makeTemplate } from '../../harness/passes.ts'
import { callApproved } from '../../harness/person.ts'

const DAY_MS = 86_400_000
const BILLED = { sandbox: true, live: true }
const NOT_BILLED = { sandbox: false, live: false }

function startBilledApi(): Promise<TestApi> {
  return startIssuingApi({ billed: BILLED })
}

async function approved(api: TestApi, call: string, body?: object): Promise<Answer> {
  const [method = '', path = ''] = call.split(' ')
  const sent = { key: api.tenant.keys.admin, ...(body === undefined ? {} : { body }) }
  return callApproved(api, method, '/v1/billing/' + path, sent)
}

/** Sets the status of the tenant for a day by an operator's override. */
async function overrideWith(api: TestApi, state: string): Promise<void> {
  const path = '/operator/v1/tenants/' + api.tenant.tenantId + '/dunning_override/sandbox'
  const expires_at = Math.floor((api.clock.nowMs + DAY_MS) / 1000)
  const body = { state, reason: 'As agreed', expires_at }
  const answer = await api.call('PUT', path, { key: await seedOperator(api.sql), body })
  if (answer.status !== 200) throw new Error(JSON.stringify(answer.body))
}

function issueCard(api: TestApi, more: object = {}, headers = {}): Promise<Answer> {
  const { cardholderId, keys } = api.tenant
  const body = { cardholder_id: cardholderId, type: 'virtual', ...more }
  return api.call('POST', '/v1/cards', { key: keys.write, body, headers })
}

async function programOf(api: TestApi): Promise<ProgramConfig> {
  const [record] = await readConfig(api.sql, 'program', { ids: [api.tenant.programId] })
  return record as ProgramConfig
}

async function renew(api: TestApi, billed = BILLED): Promise<number> {
  return runJob(entitlementsJob(billed), { sql: api.sql, now: api.clock.nowMs })
}

function refused(t: Test, { status, body }: Answer, code: string, more: object = {}): void {
  t.match({ status, error: body.error }, { status: 403, error: { code, ...more } })
}

test('a status that does not pay makes nothing, and ends, tightens and reads', async (t) => {
  const api = await startBilledApi()
  await approved(api, 'POST trial', { plan: 'growth' })
  const headers = { 'Idempotency-Key': 'one card' }
  const first = await issueCard(api, {}, headers)
  t.equal(first.status, 201)
  await overrideWith(api, 'suspended')
  refused(t, await issueCard(api), 'billing_restricted', { billing_status: 'suspended' })
  const repeat = await issueCard(api, {}, headers)
  t.same([repeat.status, repeat.body], [first.status, first.body], 'a repeat is still answered')
  const another = await issueCard(api, { type: 'physical' }, headers)
  t.match(another.body, { error: { code: 'idempotency_key_reused' } })
  const { keys, cardId } = api.tenant
  const suspend = await api.call('POST', '/v1/cards/' + cardId + '/suspend', { key: keys.write })
  t.equal(suspend.status, 200)
  const endpoint = { url: 'https://tenant.example/more' }
  const hook = await api.call('POST', '/v1/webhook_endpoints', { key: keys.write, body: endpoint })
  t.equal(hook.status, 201)
  t.equal((await api.call('GET', '/v1/cards', { key: keys.read })).status, 200)
  t.equal((await programOf(api)).authorizations_closed, true)
  const program = { name: 'Another', currency: 'USD' }
  const made = await api.call('POST', '/v1/programs', { key: keys.admin, body: program })
  refused(t, made, 'billing_restricted')
  await overrideWith(api, 'restricted')
  t.equal((await programOf(api)).authorizations_closed, false, 'restricted declines nothing')
  refused(t, await issueCard(api), 'billing_restricted', { billing_status: 'restricted' })
  await overrideWith(api, 'past_due')
  t.equal((await issueCard(api)).status, 201)
})

test('an override that ended acts by the job, and a program that began late follows', async (t) => {
  const api = await startBilledApi()
  await approved(api, 'POST trial', { plan: 'starter' })
  await overrideWith(api, 'suspended')
  const { programId, tenantId } = api.tenant
  await api.sql`
    insert into programs (id, tenant_id, environment, name, status, created_at)
    values (${programId + 'b'}, ${tenantId}, 'sandbox', 'Late', 'active', 0)`
  const [late] = await api.sql`
    select authorizations_closed as closed from programs where id = ${programId + 'b'}`
  t.equal(late?.['closed'], true)
  const { version } = await programOf(api)
  api.clock.nowMs += DAY_MS - 2000
  await renew(api)
  t.equal((await programOf(api)).authorizations_closed, true)
  api.clock.nowMs += 2000
  t.ok((await renew(api)) >= 1)
  t.equal(await renew(api), 0, 'once')
  const program = await programOf(api)
  t.match(program, { authorizations_closed: false })
  t.ok(program.version > version, 'the engine gets the record again')
  t.equal((await issueCard(api)).status, 201)
})

test('a trial makes no more than its caps, however many ask at once', async (t) => {
  const api = await startBilledApi()
  const { keys } = api.tenant
  const template = await makeTemplate(api)
  await approved(api, 'POST trial', { plan: 'growth' })
  const item = { template_id: template.id, holder_name: 'Ada' }
  const batch = () =>
    api.call('POST', '/v1/passes/batch', {
      key: keys.write,
      body: { passes: Array.from({ length: 100 }, () => item) },
    })
  const answers = await Promise.all([1, 2, 3, 4, 5, 6].map(batch))
  const made = answers.filter(({ status }) => status < 300)
  t.equal(made.length, 5)
  const over = answers.find(({ status }) => status === 403)
  t.match(over?.body, { error: { code: 'plan_limit_reached', max: 500, plan: 'growth' } })
  const [row] = await api.sql`
    select count(*)::int as count from passes where tenant_id = ${api.tenant.tenantId}`
  t.equal(row?.['count'], 500)
})

test('a right that a plan has just gained counts before the process hears of it', async (t) => {
  const api = await startBilledApi()
  const { tenantId, cardholderId, keys } = api.tenant
  await approved(api, 'POST trial', { plan: 'starter' })
  const { url } = await openLocalApi(t, api)
  const body = JSON.stringify({ cardholder_id: cardholderId, type: 'physical' })
  const headers = { authorization: 'Bearer ' + keys.write, 'content-type': 'application/json' }
  const code = async (): Promise<unknown> => {
    const answer = await fetch(url + '/v1/cards', { method: 'POST', headers, body })
    return (await answer.json()).error?.code
  }
  t.equal(await code(), 'feature_not_enabled')
  await api.sql.begin(async (sql) => {
    // Without triggers nobody is told.
    await sql`set local session_replication_role = replica`
    await sql`
      update entitlements set addons = '{physical_cards}' where tenant_id = ${tenantId}`
  })
  t.equal(await code(), 'parameter_missing')
})

test('a plan bounds endpoints, the factor of rates, real time and add-ons', async (t) => {
  const api = await startBilledApi()
  const { keys, programId, endpointId } = api.tenant
  await approved(api, 'POST trial', { plan: 'starter' })
  const body = { url: 'https://tenant.example/more' }
  const more = () => api.call('POST', '/v1/webhook_endpoints', { key: keys.write, body })
  for (let count = 0; count < 4; count++) t.equal((await more()).status, 201)
  refused(t, await more(), 'plan_limit_reached', { max: 5, plan: 'starter' })
  refused(t, await issueCard(api, { type: 'physical' }), 'feature_not_enabled')
  await approved(api, 'PUT addons/physical_cards', { enabled: true })
  t.not((await issueCard(api, { type: 'physical' })).body.error?.code, 'feature_not_enabled')
  const patch = { key: keys.admin, body: { realtime: true } }
  refused(t, await api.call('PATCH', '/v1/programs/' + programId, patch), 'feature_not_enabled')
  const realtime = '/v1/webhook_endpoints/' + endpointId + '/make_realtime'
  refused(t, await api.call('POST', realtime, { key: keys.write }), 'feature_not_enabled')
  t.equal((await programOf(api)).realtime_entitled, false)
  await api.sql`
    update tenants set realtime_entitled = true where id = ${api.tenant.tenantId}`
  t.equal(await renew(api), 1, 'an operator’s grant counts beside the plan')
  t.equal((await programOf(api)).realtime_entitled, true)
})

test('live without a plan is closed, but for tenants of before billing', async (t) => {
  const api = await startBilledApi()
  const { tenantId, keys, programId } = api.live
  const live = () => readConfig(api.sql, 'program', { ids: [programId] })
  const program = { key: keys.admin, body: { name: 'New', currency: 'USD' } }
  await api.sql`update tenants set kyb_status = 'approved', billing_waived = true`
  await renew(api)
  t.not((await api.call('POST', '/v1/programs', program)).body.error?.code, 'billing_restricted')
  await api.sql`update tenants set billing_waived = false where id = ${tenantId}`
  t.equal(await renew(api), 1)
  const answer = await api.call('POST', '/v1/programs', program)
  refused(t, answer, 'billing_restricted', { billing_status: 'none' })
  t.match(await live(), [{ authorizations_closed: true, realtime_entitled: false }])
  t.ok((await renew(api, NOT_BILLED)) >= 1)
  t.not((await api.call('POST', '/v1/programs', program)).body.error?.code, 'billing_restricted')
  t.match(await live(), [{ authorizations_closed: false }], 'nothing is gated without a processor')
})
