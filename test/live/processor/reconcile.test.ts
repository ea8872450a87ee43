// The nightly comparison finds one planted difference of each kind, and a lost bell mends itself.
import { test } from 'tap'
import {
  claimBells,
  NIGHT_SPREAD_MS,
  ring,
  ringCustomers,
} from '../../../api/billing/collection/bells.ts'
import { startBilledApi } from '../../harness/billed.ts'
import { DAY_MS, provision, readBilling } from '../../harness/billing.ts'
import { file } from '../../harness/per-file.ts'

test('each kind of difference is found once', async (t) => {
  const { api, peer, settle } = await startBilledApi(file)
  const simulated = await api.call('POST', '/v1/simulate/payment_methods', {
    ...{ key: api.tenant.keys.admin, body: { card: 'visa' } },
  })
  t.equal(simulated.status, 201)
  await provision(api)
  await settle()
  const [ours] = (await readBilling(api, 'invoices')).data
  const theirs = () =>
    peer.store.all('invoice').find(({ metadata }) => metadata['svc_invoice'] === ours.id)
  const found = async (): Promise<string[]> =>
    (
      await api.sql<{ kind: string }[]>`
      select kind from billing_exceptions where tenant_id = ${api.tenant.tenantId} order by kind`
    ).map(({ kind }) => kind)
  const night = async (): Promise<void> => {
    api.clock.nowMs += DAY_MS
    await settle()
  }
  const first = theirs()
  if (first === undefined) throw new Error('no invoice')
  await night()
  t.same(await found(), [], 'nothing differs')
  // A person paid, and every bell was lost.
  peer.store.put('invoice', { ...first, status: 'paid', amount_paid: first.total })
  await night()
  t.match(await readBilling(api, 'invoices/' + ours.id), { status: 'paid' }, 'it mends itself')
  t.same(await found(), [])
  peer.store.put('invoice', { ...first, id: 'in_stranger', metadata: {}, created: peer.store.nowS })
  await night()
  t.same(await found(), ['unknown_invoice'])
  peer.store.put('invoice', { ...first, status: 'void' })
  await night()
  t.same(await found(), ['status_differs', 'unknown_invoice'])
  peer.store.put('invoice', { ...first, status: 'paid', total: first.total + 1 })
  await night()
  t.same(await found(), ['status_differs', 'unknown_invoice', 'wrong_total'])
  peer.store.put('invoice', { ...first, created: 1 })
  await night()
  const all = ['missing_invoice', 'status_differs', 'unknown_invoice', 'wrong_total']
  t.same(await found(), all)
  await night()
  t.same(await found(), all, 'each once')
})

test('a payment method that left without a bell is found in the night', async (t) => {
  const { api, peer, settle } = await startBilledApi(file)
  const key = api.tenant.keys.admin
  for (const card of ['visa', 'mastercard'])
    await api.call('POST', '/v1/simulate/payment_methods', { key, body: { card } })
  await settle()
  const customer = peer.store.all('customer').find(({ name }) => name === api.tenant.tenantId)
  const visa = peer.store
    .all('payment_method')
    .find((method) => method.customer === customer?.id && method.card.last4 === '4242')
  if (visa === undefined) throw new Error('no card')
  const statuses = async (): Promise<string[]> =>
    (await readBilling(api, 'payment_methods')).data.map((row: { status: string }) => row.status)
  await settle()
  // No event tells of it.
  peer.store.put('payment_method', { ...visa, customer: null })
  await settle()
  t.same(await statuses(), ['attached', 'attached'])
  // Beyond the nights that the first test saw.
  api.clock.nowMs += 40 * DAY_MS
  await settle()
  // Its customer has a moment of the night's first hours.
  api.clock.nowMs += NIGHT_SPREAD_MS
  await settle()
  t.same((await statuses()).sort(), ['attached', 'detached'])
  const types = await api.sql`
    select from events where tenant_id = ${api.tenant.tenantId}
      and type = 'billing.payment_method_updated'`
  t.equal(types.length, 2, 'a method that leaves has no event')
})

test('bells of callbacks are fetched before those of the night', async (t) => {
  const { api, settle } = await startBilledApi(file)
  const key = api.tenant.keys.admin
  await api.call('POST', '/v1/simulate/payment_methods', { key, body: { card: 'visa' } })
  await settle()
  const { sql } = api
  // Beyond every moment of the other tests.
  const now = api.clock.nowMs + 1000 * DAY_MS
  const [known] = await sql<{ processorId: string }[]>`
    select processor_id as "processorId" from billing_customers
    where tenant_id = ${api.tenant.tenantId}`
  await ringCustomers(sql, 'sandbox', now)
  const due = async (): Promise<number> => {
    const [row] = await sql<{ count: number }[]>`
      select count(*) from billing_bells
      where environment = 'sandbox' and rung > answered and due_at <= ${now}`
    return row?.count ?? -1
  }
  t.equal(await due(), 0, 'none of the night is due at once')
  await ring(sql, 'sandbox', { id: 'evt_real', type: 'invoice.paid', objectId: 'in_real' }, now)
  const wanted = { now, leaseMs: 60_000, most: { invoices: 10, others: 10 } }
  t.match(await claimBells(sql, wanted), [{ objectId: 'in_real' }])
  // A callback about a customer that waits for its moment of the night comes at once.
  const objectId = known?.processorId ?? ''
  await ring(sql, 'sandbox', { id: 'evt_card', type: 'payment_method.attached', objectId }, now)
  t.match(await claimBells(sql, wanted), [{ objectId }])
})

test('a payment waits behind no number of cards', async (t) => {
  const { sql, clock } = (await startBilledApi(file)).api
  // Beyond every moment of the other tests.
  const now = clock.nowMs + 2000 * DAY_MS
  for (let card = 0; card < 50; card++) {
    const objectId = 'pm_burst' + card
    await ring(
      sql,
      'live',
      { id: 'evt_' + objectId, type: 'payment_method.attached', objectId },
      now,
    )
  }
  const paid = { id: 'evt_paid', type: 'invoice.paid', objectId: 'in_paid' }
  await ring(sql, 'live', paid, now + 1)
  const most = { invoices: 6, others: 4 }
  const claimed = await claimBells(sql, { now: now + 2, leaseMs: 60_000, most })
  const names = claimed.map(({ objectId }) => objectId)
  t.ok(names.includes('in_paid'))
  t.ok(names.length <= 10)
  const none = await claimBells(sql, {
    now: now + 2,
    leaseMs: 60_000,
    most: { ...most, others: 0 },
  })
  t.notOk(
    none.some(({ objectId }) => objectId.startsWith('pm_')),
    'no place is left for cards',
  )
  await sql`delete from billing_bells where environment = 'live'`
})
