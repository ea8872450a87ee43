// Payment methods, the portal and callbacks through the running API, beside the sandbox's
// processor.
import { createHmac } from 'node:crypto'
import { type Test, test } from 'tap'
import { processorJobs } from '../../../api/billing/collection/index.ts'
import { openProcessors } from '../../../api/billing/processor/index.ts'
import { systemClock } from '../../../shared/clock.ts'
import type { Answer, TestApi } from '../../harness/api.ts'
import { startBilledApi } from '../../harness/billed.ts'
import { startIssuingApi } from '../../harness/issuing.ts'
import { runJob } from '../../harness/jobs.ts'
import { file } from '../../harness/per-file.ts'
import { callApproved } from '../../harness/person.ts'
import { PEER_KEY, PEER_SECRET } from '../../harness/stripe-peer.ts'
import { until } from '../../harness/until.ts'

const CALLBACKS = '/partners/stripe/callbacks/'
const RETURN = { return_url: 'https://tenant.example/billing' }

const methods = async (api: TestApi): Promise<Answer['body'][]> =>
  (await api.call('GET', '/v1/billing/payment_methods', { key: api.tenant.keys.admin })).body.data

async function events(api: TestApi, type: string): Promise<Answer['body'][]> {
  const path = '/v1/events?order=asc&type=' + type
  return (await api.call('GET', path, { key: api.tenant.keys.read })).body.data
}

const openPortal = (api: TestApi, headers = {}): Promise<Answer> =>
  callApproved(api, 'POST', '/v1/billing/portal_sessions', {
    ...{ key: api.tenant.keys.admin, body: RETURN, headers },
  })

function simulate(api: TestApi, card: string, headers = {}): Promise<Answer> {
  const sent = { key: api.tenant.keys.admin, body: { card }, headers }
  return api.call('POST', '/v1/simulate/payment_methods', sent)
}

async function addCard(url: string, number: string): Promise<string> {
  const card = { action: 'add', number, exp_month: '12', exp_year: '2040', cvc: '123' }
  return (await fetch(url, { method: 'POST', body: new URLSearchParams(card) })).text()
}

const bells = (api: TestApi) => api.sql`select from billing_bells where rung > answered`

test('a person adds a card in the portal, and its event fires once', async (t) => {
  const { api, peer, settle, settled } = await startBilledApi(file)
  const { status, body: session } = await openPortal(api)
  t.equal(status, 201)
  t.match(session, { id: /^bps_/, object: 'portal_session', ...RETURN, url: peer.url })
  const { url, ...shown } = session
  const read = await api.call('GET', '/v1/billing/portal_sessions/' + session.id, {
    key: api.tenant.keys.admin,
  })
  t.same(read.body, shown, 'the address is in the answer alone')
  const [opened, ...more] = await events(api, 'billing.portal_accessed')
  t.same([opened.data, more], [{ portal_session: shown }, []])
  t.match(await addCard(url, '4242424242424242'), 'The card was added.')
  await until(async () => (await bells(api)).length > 0)
  await settle()
  const [method] = await methods(api)
  t.match(method, { status: 'attached', default: true, brand: 'visa', last4: '4242' })
  const added = await events(api, 'billing.payment_method_updated')
  t.same(
    added.map(({ data }) => data),
    [{ payment_method: method }],
  )
  await addCard(url, '5555555555554444')
  await settled(async () => (await methods(api)).length === 2)
  const [newest, former] = await methods(api)
  t.match([newest, former], [{ brand: 'mastercard', default: true }, { default: false }])
  const { processor_id: id } = (
    await api.sql`
    select processor_id from billing_payment_methods where id = ${former.id}`
  )[0] as object as {
    processor_id: string
  }
  const choose = (action: string) =>
    fetch(url, { method: 'POST', body: new URLSearchParams({ action, payment_method: id }) })
  await choose('default')
  await settled(async () => (await methods(api))[1].default)
  t.match(await methods(api), [{ default: false }, { default: true }])
  await choose('remove')
  await settled(async () => (await methods(api))[1].status === 'detached')
  t.match(await methods(api), [{ status: 'attached' }, { status: 'detached', default: false }])
  t.equal((await events(api, 'billing.payment_method_updated')).length, 2, 'two were new')
})

test('callbacks come three times, in the wrong order, late or never', async (t) => {
  const { api, peer, settle } = await startBilledApi(file)
  const { url } = (await openPortal(api)).body
  peer.faults.order({ kind: 'duplicate', on: 'payment_method' })
  peer.faults.order({ kind: 'duplicate', on: 'customer' })
  await addCard(url, '4242424242424242')
  await until(async () => (await bells(api)).length > 0)
  await settle()
  t.equal((await events(api, 'billing.payment_method_updated')).length, 1)
  peer.faults.order({ kind: 'lose', on: '', times: 100 })
  await addCard(url, '5555555555554444')
  await settle()
  t.equal((await methods(api)).length, 1, 'nothing was told')
  api.clock.nowMs += 301_000
  await settle()
  t.equal((await methods(api)).length, 2, 'the list of events has it')
  t.equal((await events(api, 'billing.payment_method_updated')).length, 2)
})

function signed(secret: string, body: string, at: number): { [name: string]: string } {
  const digest = createHmac('sha256', secret).update(at + '.' + body)
  return {
    'content-type': 'application/json',
    'stripe-signature': 't=' + at + ',v1=' + digest.digest('hex'),
  }
}

test('a callback without a fresh signature of its environment is refused', async (t) => {
  const { api } = await startBilledApi(file)
  const now = Math.floor(api.clock.nowMs / 1000)
  const body = JSON.stringify({
    ...{ id: 'evt_1', object: 'event', type: 'customer.updated' },
    data: { object: { id: 'cus_nobody' } },
  })
  const send = async (environment: string, headers: object, raw = body) =>
    (await api.call('POST', CALLBACKS + environment, { raw, headers: { ...headers } })).status
  t.equal(await send('sandbox', signed(PEER_SECRET, body, now)), 200)
  t.equal(await send('sandbox', signed('whsec_next012345', body, now)), 200, 'the next secret')
  t.equal(await send('sandbox', signed('whsec_forged01234', body, now)), 401)
  t.equal(await send('sandbox', signed(PEER_SECRET, body, now - 301)), 401, 'stale')
  t.equal(await send('sandbox', signed(PEER_SECRET, body, now + 301)), 401, 'future')
  t.equal(await send('live', signed(PEER_SECRET, body, now)), 401, 'the other environment')
  t.equal(await send('sandbox', signed(PEER_SECRET, body, now), body + ' '), 401)
  t.equal(await send('sandbox', { 'content-type': 'application/json' }), 401)
  t.equal(await send('sandbox', signed(PEER_SECRET, '{}', now), '{}'), 400)
  t.not(await send('nowhere', signed(PEER_SECRET, body, now)), 200)
  const [{ count } = { count: 0 }] = await api.sql<{ count: number }[]>`
    select count(*)::int as count from billing_processor_events where id = 'evt_1'`
  t.equal(count, 1, 'an event is handled once')
})

test('an object that rings during its fetch is fetched again', async (t) => {
  const { api, peer, processors } = await startBilledApi(file)
  const { url } = (await openPortal(api)).body
  await addCard(url, '4242424242424242')
  await until(async () => (await bells(api)).length > 1)
  const [job] = processorJobs(processors)
  if (job === undefined) throw new Error('no job')
  peer.faults.order({ kind: 'broken', on: 'GET', times: 100 })
  await runJob(job, { sql: api.sql, now: api.clock.nowMs })
  t.equal((await methods(api)).length, 0)
  t.ok((await bells(api)).length > 0, 'a failed fetch stays due')
  peer.faults.clear()
  api.clock.nowMs += 10_000
  for (let left = 1; left > 0; ) left = await runJob(job, { sql: api.sql, now: api.clock.nowMs })
  t.equal((await methods(api)).length, 1)
})

test('a portal that cannot be opened has no event', async (t) => {
  const { api, peer } = await startBilledApi(file)
  for (const kind of ['broken', 'hang', 'cut_before', 'redirect', 'html']) {
    peer.faults.order({ kind, on: 'POST /v1/billing_portal/sessions' })
    const { status, body } = await openPortal(api)
    t.match(
      { status, code: body.error.code },
      { status: 503, code: 'dependency_unavailable' },
      kind,
    )
  }
  t.same(await events(api, 'billing.portal_accessed'), [])
  const known = peer.store.all('customer').filter(({ name }) => name === api.tenant.tenantId)
  t.equal(known.length, 1, 'the customer was made once')
  const key = { 'idempotency-key': 'portal-1' }
  const first = await openPortal(api, key)
  const sessions = peer.store.all('portal_session').length
  t.same((await openPortal(api, key)).body, first.body, 'a repeat has the same answer')
  t.equal(peer.store.all('portal_session').length, sessions, 'and makes no session')
  t.equal((await events(api, 'billing.portal_accessed')).length, 1)
})

async function refusedUrl(t: Test, api: TestApi, return_url: string): Promise<void> {
  const key = api.tenant.keys.admin
  const answer = await api.call('POST', '/v1/billing/portal_sessions', {
    key,
    body: { return_url },
  })
  t.match(answer, { status: 400, body: { error: { param: 'return_url' } } }, return_url)
}

test('a portal whose processor hangs is refused while its call still hangs', async (t) => {
  const { peer } = await startBilledApi(file)
  const config = { keys: { sandbox: PEER_KEY, live: null }, url: peer.url, ratePerS: 1000 }
  const opened = openProcessors(config, { clock: systemClock, callMsMax: 60_000 })
  t.teardown(() => opened.close())
  const { sandbox } = opened
  if (sandbox === null) throw new Error('no processor')
  let isOver = false
  const openPortalThere: typeof sandbox.openPortal = (input) =>
    sandbox.openPortal(input).finally(() => {
      isOver = true
    })
  const processors = { ...opened, sandbox: { ...sandbox, openPortal: openPortalThere } }
  const api = await startIssuingApi({ billed: { sandbox: true, live: false }, processors })
  peer.faults.order({ kind: 'hang', on: 'POST /v1/billing_portal/sessions' })
  const { status, body } = await openPortal(api)
  t.match([status, body.error.code], [503, 'dependency_unavailable'])
  t.notOk(isOver, 'nobody waits for the processor so long')
  t.same(await events(api, 'billing.portal_accessed'), [])
})

test('the portal leads back to this machine in the sandbox alone', async (t) => {
  const { api } = await startBilledApi(file)
  const ask = (key: string, return_url: string): Promise<Answer> =>
    api.call('POST', '/v1/billing/portal_sessions', { key, body: { return_url } })
  for (const url of ['http://127.0.0.1:8080/back', 'http://localhost/', 'http://[::1]:3000/']) {
    const asked = await ask(api.tenant.keys.admin, url)
    t.equal(asked.body.error.code, 'factor_required', url + ' is taken, and a person is asked')
    t.match(await refusedIn(api, url), { status: 400, body: { error: { param: 'return_url' } } })
  }
  for (const url of ['http://127.0.0.1.example/', 'http://10.0.0.1/', 'http://[::2]/'])
    await refusedUrl(t, api, url)
  const path = '/v1/billing/portal_sessions'
  const sent = { key: api.tenant.keys.admin, body: { return_url: 'http://127.0.0.1:8080/back' } }
  t.match(await callApproved(api, 'POST', path, sent), { status: 201, body: sent.body })
})

/** The same call in live, which a person approved. */
function refusedIn(api: TestApi, return_url: string): Promise<Answer> {
  const sent = { key: api.live.keys.admin, body: { return_url } }
  return callApproved(api, 'POST', '/v1/billing/portal_sessions', sent)
}

test('bad input of the portal and of simulated cards is refused', async (t) => {
  const { api } = await startBilledApi(file)
  for (const url of [
    ...['http://tenant.example/', 'https://ada:secret@tenant.example/', 'javascript:alert(1)'],
    ...['/billing', '', 'https://tenant.example/' + 'a'.repeat(2048)],
  ])
    await refusedUrl(t, api, url)
  t.equal((await simulate(api, 'gold')).status, 400)
  const { admin, write } = api.tenant.keys
  const weak = await api.call('POST', '/v1/simulate/payment_methods', {
    ...{ key: write, body: { card: 'visa' } },
  })
  t.equal(weak.body.error.code, 'insufficient_scope')
  const sent = { key: admin, body: RETURN }
  const unapproved = await api.call('POST', '/v1/billing/portal_sessions', sent)
  t.equal(unapproved.body.error.code, 'factor_required')
  const live = await api.call('POST', '/v1/simulate/payment_methods', {
    ...{ key: api.live.keys.admin, body: { card: 'visa' } },
  })
  t.equal(live.status, 404)
  const foreign = await api.call('GET', '/v1/billing/payment_methods/bpm_nobody', { key: admin })
  t.equal(foreign.status, 404)
})

test('a simulated card is the portal’s', async (t) => {
  const { api, peer, settle } = await startBilledApi(file)
  const key = { 'idempotency-key': 'card-1' }
  const { status, body: method } = await simulate(api, 'declined', key)
  t.equal(status, 201)
  t.match(method, { id: /^bpm_/, status: 'attached', default: true, last4: '0341' })
  const calls = peer.calls.length
  t.same((await simulate(api, 'declined', key)).body, method)
  t.equal(peer.calls.length, calls, 'a repeat calls nobody')
  t.equal((await simulate(api, 'visa', key)).status, 422)
  await settle()
  t.equal((await events(api, 'billing.payment_method_updated')).length, 1)
  peer.faults.order({ kind: 'cut_after', on: '/attach' })
  t.equal((await simulate(api, 'visa', { 'idempotency-key': 'card-2' })).status, 503)
  t.equal((await simulate(api, 'visa', { 'idempotency-key': 'card-2' })).status, 201)
  const cards = peer.store.all('payment_method').filter(({ card }) => card.last4 === '4242')
  t.ok(cards.length >= 1)
  await settle()
  t.equal((await methods(api)).length, 2, 'the lost answer added no second card')
})
