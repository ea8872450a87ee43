// Our calls of the processor against the sandbox's own: outcomes are values, and each failure has
// its kind.
import { type Test, test } from 'tap'
import { openProcessor, type Processor } from '../../../api/billing/processor/index.ts'
import { systemClock } from '../../../shared/clock.ts'
import { control, PEER_KEY, startTestPeer } from '../../harness/stripe-peer.ts'

const OWNER = { tenantId: 'ten_1', environment: 'sandbox' } as const
const LINE = { amount: 4900, description: 'Base price', from: 1_800_000_000, until: 1_802_592_000 }

function opened(t: Test, url: string, key = PEER_KEY): Processor {
  const processor = openProcessor({
    ...{ key, url, ratePerS: 1000, callMsMax: 500, clock: systemClock },
  })
  t.teardown(() => processor.close())
  return processor
}

type Given<Value> = { ok: true; value: Value } | { ok: false; error: object }

async function value<Value>(call: Promise<Given<Value>>): Promise<Value> {
  const given = await call
  if (!given.ok) throw new Error(JSON.stringify(given.error))
  return given.value
}

/** The kind of the failure; null for a success. */
async function kind(call: Promise<Given<unknown>>): Promise<string | null> {
  const given = await call
  return given.ok ? null : (given.error as { kind: string }).kind
}

async function openInvoice(processor: Processor, token: string): Promise<string> {
  const customer = (await value(processor.createCustomer(OWNER, 'cus-' + token))).id
  await value(processor.attachCard({ token, customer, key: 'card-' + token }))
  const ours = 'inv_' + token
  const made = { ours, customer, currency: 'USD', netDays: null }
  const { id } = await value(processor.createInvoice(made, ours + '-create'))
  await value(processor.addLines(id, [LINE], ours + '-lines'))
  await value(processor.finalizeInvoice(id, ours + '-finalize'))
  return id
}

test('an invoice goes from its lines to paid', async (t) => {
  const peer = await startTestPeer(t)
  const processor = opened(t, peer.url)
  const id = await openInvoice(processor, 'pm_card_visa')
  t.match(await value(processor.readInvoice(id)), {
    ...{ status: 'open', total: 4900, amountDue: 4900, currency: 'USD', hasLines: true },
    ours: 'inv_pm_card_visa',
  })
  t.match(await value(processor.payInvoice(id, 'p1')), { status: 'paid' })
  t.equal(await kind(processor.payInvoice(id, 'p2')), 'refused')
  const { customer } = await value(processor.readInvoice(id))
  t.match(await value(processor.findInvoice(customer, 'inv_pm_card_visa')), { id })
  t.equal(await value(processor.findInvoice(customer, 'inv_other')), null)
  t.equal((await value(processor.findCustomer('cus-pm_card_visa', 0)))?.id, customer)
  t.equal(await value(processor.findCustomer('cus-other', 0)), null)
  t.ok(
    peer.calls.every(({ method, key }) => method === 'GET' || (key !== null && !/retry/.test(key))),
    'every POST has a key of ours',
  )
})

test('each failure has its kind', async (t) => {
  const peer = await startTestPeer(t)
  const processor = opened(t, peer.url)
  const declined = await openInvoice(processor, 'pm_card_chargeCustomerFail')
  t.match(await processor.payInvoice(declined, 'p1'), {
    error: { kind: 'declined', declineCode: 'generic_decline', needsAction: false },
  })
  const action = await openInvoice(processor, 'pm_card_authenticationRequired')
  t.match(await processor.payInvoice(action, 'p2'), { error: { needsAction: true } })
  t.equal(await kind(processor.readInvoice('in_none')), 'refused')
  t.equal(
    await kind(processor.createCustomer({ ...OWNER, tenantId: 'x' }, 'cus-pm_card_visa')),
    null,
  )
  t.equal(await kind(processor.createCustomer(OWNER, 'cus-pm_card_visa')), 'wrong_key')
  t.equal(await kind(opened(t, peer.url, 'sk_test_wrong123').listMethods('cus_x')), 'closed')
  peer.faults.order({ kind: 'rate_limited' })
  t.match(await processor.listMethods('cus_x'), { error: { kind: 'busy', retryAfterMs: 7000 } })
  for (const fault of ['broken', 'redirect', 'html', 'cut_before', 'cut_after', 'hang']) {
    peer.faults.order({ kind: fault })
    t.equal(await kind(processor.createCustomer(OWNER, fault)), 'unknown', fault)
  }
  const away = opened(t, 'http://127.0.0.1:1')
  t.equal(await kind(away.listMethods('cus_x')), 'unknown')
})

test('a lost answer is not sent again by itself, and a repeat has its result', async (t) => {
  const peer = await startTestPeer(t)
  const processor = opened(t, peer.url)
  peer.faults.order({ kind: 'cut_after' })
  t.equal(await kind(processor.createCustomer(OWNER, 'once')), 'unknown')
  t.equal(peer.calls.length, 1)
  await value(processor.createCustomer(OWNER, 'once'))
  t.equal(peer.store.all('customer').length, 1)
})

test('lists are read to their end', async (t) => {
  const peer = await startTestPeer(t)
  const processor = opened(t, peer.url)
  const customer = (await value(processor.createCustomer(OWNER, 'c'))).id
  for (let at = 0; at < 103; at++)
    await value(processor.attachCard({ token: 'pm_card_visa', customer, key: 'k' + at }))
  t.equal((await value(processor.listMethods(customer))).length, 103)
  const events = await value(processor.listEvents(['payment_method.attached'], 0))
  t.equal(events.length, 103)
})

test('the portal opens, and totals of a meter are replaced', async (t) => {
  const peer = await startTestPeer(t)
  const processor = opened(t, peer.url)
  const customer = (await value(processor.createCustomer(OWNER, 'c'))).id
  const session = (key: string) =>
    processor.openPortal({ customer, returnUrl: 'https://tenant.example/', key })
  const first = await value(session('s1'))
  t.match(first, { id: /^bps_/, url: peer.url })
  t.same(await value(session('s1')), first, 'the same key is the same session')
  await value(session('s2'))
  t.equal(peer.store.all('portal_configuration').length, 1)
  const second = opened(t, peer.url)
  await value(second.openPortal({ customer, returnUrl: 'https://a.example/', key: 's3' }))
  t.equal(peer.store.all('portal_configuration').length, 1, 'another process finds it')
  const { now_ms } = await control(peer, 'clock')
  const day = Math.floor(now_ms / 86_400_000) * 86_400
  const total = { eventName: 'svc_cards_issued', customer, day }
  await value(processor.sendTotal({ ...total, total: 3, identifier: 'a' }))
  await value(processor.sendTotal({ ...total, total: 5, identifier: 'b' }))
  const asked = { eventName: total.eventName, customer, fromS: day, untilS: day + 86_400 }
  t.same([...(await value(processor.dayTotals(asked)))], [[day, 5]])
})
