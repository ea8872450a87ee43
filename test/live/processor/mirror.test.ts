// The processor's meters show our usage of each day, and every night both are compared with each
// other, and our count with the events.
import { test } from 'tap'
import { startBilledApi } from '../../harness/billed.ts'
import { changeBilling, countUsage, DAY_MS, moveSandbox, settleJob } from '../../harness/billing.ts'
import { seedTransactions } from '../../harness/drained.ts'
import { file } from '../../harness/per-file.ts'

const HOUR_MS = 3_600_000

/** A tenant whose card pays, and the usage that the processor shows of it. */
async function begin() {
  const billed = await startBilledApi(file)
  const { api, peer, settle } = billed
  const { tenantId } = api.tenant
  // Noon: the hours of a test are of one day.
  api.clock.nowMs = Math.ceil(api.clock.nowMs / DAY_MS) * DAY_MS + DAY_MS / 2
  const sent = { key: api.tenant.keys.admin, body: { card: 'visa' } }
  await api.call('POST', '/v1/simulate/payment_methods', sent)
  const asked = { plan: 'starter', interval: 'month', currency: 'USD' }
  const { status, text } = await changeBilling(api, 'POST subscription', asked)
  if (status !== 201) throw new Error(text)
  await settle()
  const customer = peer.store.all('customer').find(({ name }) => name === tenantId)?.id ?? ''
  /** Authorizations that are decided now, and counted. */
  const authorize = async (count: number): Promise<void> => {
    await seedTransactions(api.sql, api.tenant, { count, at: api.clock.nowMs })
    await countUsage(api)
  }
  /** Totals that the processor was told of the authorizations, in their order. */
  const told = (): number[] =>
    peer.store
      .all('meter_event')
      .filter(({ event_name, payload }) => {
        return event_name === 'svc_authorizations' && payload['customer'] === customer
      })
      .map(({ payload }) => Number(payload['value']))
      .reverse()
  const exceptions = async (): Promise<string[]> => {
    const rows = await api.sql<{ kind: string }[]>`
      select kind from billing_exceptions where tenant_id = ${tenantId} order by id`
    return rows.map(({ kind }) => kind)
  }
  return { ...billed, customer, authorize, told, exceptions }
}

test('each changed day is told once an hour with its whole total', async (t) => {
  const { api, peer, settle, authorize, told, customer, exceptions } = await begin()
  await authorize(7)
  await settle()
  t.same(told(), [7])
  await authorize(3)
  await settle()
  t.same(told(), [7], 'once an hour')
  api.clock.nowMs += HOUR_MS
  await settle()
  t.same(told(), [7, 10])
  await settle()
  api.clock.nowMs += HOUR_MS
  await settle()
  t.same(told(), [7, 10], 'nothing changed')
  api.clock.nowMs += DAY_MS
  await authorize(2)
  await settle()
  t.same(told(), [7, 10, 2])
  const meter = peer.store
    .all('meter')
    .find(({ event_name }) => event_name === 'svc_authorizations')
  t.equal(meter?.event_time_window, 'day', 'a later total replaces the former')
  api.clock.nowMs += DAY_MS
  await settle()
  t.same(await exceptions(), [], 'the night finds no difference')
  const days = peer.calls.filter(({ path }) => path.includes('/event_summaries'))
  t.ok(days.length >= 5, 'it compared every meter')
  t.ok(customer.startsWith('cus_'))
})

test('a total whose answer is lost is told again, and shown once', async (t) => {
  const { api, peer, settle, authorize, told, exceptions } = await begin()
  await authorize(5)
  peer.faults.order({ kind: 'cut_after', on: '/meter_events' })
  await settle()
  t.same(told(), [5])
  api.clock.nowMs += 60_000
  await settle()
  t.same(told(), [5], 'the same key is the same call')
  await authorize(1)
  api.clock.nowMs += HOUR_MS
  peer.faults.order({ kind: 'cut_after', on: '/meter_events' })
  await settle()
  // Its key and its identifier are forgotten.
  peer.faults.order({ kind: 'cut_before', on: '/v1/', times: 10_000 })
  await settle()
  peer.faults.clear()
  api.clock.nowMs += 25 * HOUR_MS
  await settle()
  t.same(told().at(-1), 6)
  api.clock.nowMs += 2 * DAY_MS
  await settle()
  t.same(await exceptions(), [])
})

test('a sandbox whose clock was moved has no mirror', async (t) => {
  const { api, settle, authorize, told } = await begin()
  await moveSandbox(api, api.clock.nowMs + 3 * DAY_MS)
  await authorize(5)
  await settle()
  t.same(told(), [])
})

test('a total that the processor shows otherwise is found in the night', async (t) => {
  const { api, peer, settle, authorize, exceptions, customer } = await begin()
  await authorize(5)
  await settle()
  const event = peer.store
    .all('meter_event')
    .find(({ payload }) => payload['customer'] === customer && payload['value'] === '5')
  if (event === undefined) throw new Error('nothing was told')
  const planted = { ...event.payload, value: '8' }
  peer.store.put('meter_event', { ...event, id: 'mev_planted', payload: planted })
  api.clock.nowMs += DAY_MS + HOUR_MS
  await settle()
  t.same(await exceptions(), ['mirror_differs'])
  api.clock.nowMs += DAY_MS
  await settle()
  t.same(await exceptions(), ['mirror_differs'], 'once')
})

test('a total that the processor refuses is an exception, and others are told', async (t) => {
  const { api, peer, settle, authorize, told, exceptions } = await begin()
  await authorize(4)
  await settle()
  const meter = peer.store
    .all('meter')
    .find(({ event_name }) => event_name === 'svc_authorizations')
  if (meter === undefined) throw new Error('no meter')
  peer.store.put('meter', { ...meter, event_name: 'retired' })
  t.teardown(() => void peer.store.put('meter', meter))
  await authorize(1)
  api.clock.nowMs += HOUR_MS
  await settle()
  t.same(told(), [4])
  t.same(await exceptions(), ['mirror_refused'])
})

test('a count that differs from the events is found in the night, and never edited', async (t) => {
  const { api, authorize, exceptions } = await begin()
  await authorize(5)
  await settleJob(api, 'billing_recount')
  t.same(await exceptions(), [])
  await api.sql`
    update billing_usage set quantity = quantity + 1
    from billing_segments part
    where part.id = segment_id and part.tenant_id = ${api.tenant.tenantId}
      and meter = 'authorizations'`
  await settleJob(api, 'billing_recount')
  t.same(await exceptions(), [], 'once a night')
  api.clock.nowMs += DAY_MS
  await settleJob(api, 'billing_recount')
  t.same(await exceptions(), ['usage_differs'])
  const [row] = await api.sql<{ detail: object }[]>`
    select detail from billing_exceptions where tenant_id = ${api.tenant.tenantId}`
  t.same(row?.detail, { counted: 6, events: 5 })
  const [usage] = await api.sql<{ quantity: number }[]>`
    select sum(quantity)::int as quantity from billing_usage held
    join billing_segments part on part.id = segment_id
    where part.tenant_id = ${api.tenant.tenantId} and meter = 'authorizations'`
  t.equal(usage?.quantity, 6)
})

test('days whose events were dropped are not recounted', async (t) => {
  const { api, authorize, exceptions } = await begin()
  await authorize(5)
  await api.sql`
    delete from events where tenant_id = ${api.tenant.tenantId} and seq <= 3`
  await settleJob(api, 'billing_recount')
  t.same(await exceptions(), [])
})
