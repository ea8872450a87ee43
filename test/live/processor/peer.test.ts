// The sandbox's processor as Stripe's own SDK sees it: states, keys, signed callbacks, the portal.
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Stripe from 'stripe'
import { type Test, test } from 'tap'
import type { StripePeer } from '../../../scripts/stripe-peer/peer.ts'
import { control, PEER_KEY, PEER_SECRET, startTestPeer } from '../../harness/stripe-peer.ts'
import { until } from '../../harness/until.ts'

const DAY_MS = 86_400_000
const DAY_S = 86_400

function sdk({ url }: StripePeer, key = PEER_KEY): Stripe {
  const { hostname, port } = new URL(url)
  return new Stripe(key, {
    ...{ host: hostname, port, protocol: 'http', maxNetworkRetries: 0, telemetry: false },
  })
}

async function failed(t: Test, call: Promise<unknown>, type: string, more: object = {}) {
  const error = await call.then(
    () => null,
    (thrown: unknown) => thrown,
  )
  t.match(error, { type, ...more })
}

async function draftFor(stripe: Stripe, customer: string, amount: number): Promise<Stripe.Invoice> {
  const draft = await stripe.invoices.create({ customer, currency: 'usd', auto_advance: false })
  const period = { start: 1, end: 2 }
  return stripe.invoices.addLines(draft.id, { lines: [{ amount, description: 'Base', period }] })
}

async function customerWith(stripe: Stripe, token: string): Promise<string> {
  const { id } = await stripe.customers.create({ name: 'ten_1' })
  const { id: card } = await stripe.paymentMethods.attach(token, { customer: id })
  await stripe.customers.update(id, { invoice_settings: { default_payment_method: card } })
  return id
}

test('an invoice is drafted, opened, paid once, and is then final', async (t) => {
  const peer = await startTestPeer(t)
  const stripe = sdk(peer)
  const customer = await customerWith(stripe, 'pm_card_visa')
  const draft = await draftFor(stripe, customer, 49_900)
  t.match(draft, { status: 'draft', total: 49_900 })
  t.equal((await stripe.invoices.listLineItems(draft.id)).data[0]?.amount, 49_900)
  const opened = await stripe.invoices.finalizeInvoice(draft.id)
  t.match(opened, { status: 'open', amount_due: 49_900 })
  await failed(t, draftAgain(stripe, draft.id), 'StripeInvalidRequestError')
  t.match(await stripe.invoices.pay(draft.id), { status: 'paid', amount_paid: 49_900 })
  await failed(t, stripe.invoices.pay(draft.id), 'StripeInvalidRequestError')
  await failed(t, stripe.invoices.voidInvoice(draft.id), 'StripeInvalidRequestError')
  t.equal((await control(peer, 'charges')).data.length, 1)
})

function draftAgain(stripe: Stripe, id: string): Promise<unknown> {
  return stripe.invoices.addLines(id, { lines: [{ amount: 1 }] })
}

test('cards are declined, and some need their holder', async (t) => {
  const peer = await startTestPeer(t)
  const stripe = sdk(peer)
  const cases = [
    ['pm_card_chargeCustomerFail', { code: 'card_declined', decline_code: 'generic_decline' }],
    ['pm_card_authenticationRequired', { code: 'invoice_payment_intent_requires_action' }],
    ['pm_card_chargeCustomerFailLost', { decline_code: 'lost_card' }],
  ] as const
  for (const [token, error] of cases) {
    const draft = await draftFor(stripe, await customerWith(stripe, token), 4900)
    await stripe.invoices.finalizeInvoice(draft.id)
    await failed(t, stripe.invoices.pay(draft.id), 'StripeCardError', error)
    t.match(await stripe.invoices.retrieve(draft.id), { status: 'open', attempt_count: 1 })
  }
  t.equal((await control(peer, 'charges')).data.length, 0)
})

test('a balance changes the amount due, and a small total moves into it', async (t) => {
  const peer = await startTestPeer(t)
  const stripe = sdk(peer)
  const { id: owing } = await stripe.customers.create({ balance: 100 })
  const first = await draftFor(stripe, owing, 4900)
  t.match(await stripe.invoices.finalizeInvoice(first.id), { total: 4900, amount_due: 5000 })
  const { id: small } = await stripe.customers.create({})
  const second = await draftFor(stripe, small, 49)
  t.match(await stripe.invoices.finalizeInvoice(second.id), { status: 'paid', amount_due: 0 })
  t.match(await stripe.customers.retrieve(small), { balance: 49 })
})

test('a key repeats its result for 24 hours, and no other request', async (t) => {
  const peer = await startTestPeer(t)
  const stripe = sdk(peer)
  const options = { idempotencyKey: 'cus-1' }
  const one = await stripe.customers.create({ name: 'a' }, options)
  t.equal((await stripe.customers.create({ name: 'a' }, options)).id, one.id)
  await failed(t, stripe.customers.create({ name: 'b' }, options), 'StripeIdempotencyError')
  peer.faults.order({ kind: 'slow', delay_ms: 200 })
  const slow = stripe.customers.create({ name: 'c' }, { idempotencyKey: 'cus-2' })
  const both = await Promise.allSettled([
    slow,
    stripe.customers.create({ name: 'c' }, { idempotencyKey: 'cus-2' }),
  ])
  const statuses = both.map((one) => (one.status === 'rejected' ? one.reason.statusCode : 200))
  t.same(statuses.sort(), [200, 409])
  await control(peer, 'clock', { advance_ms: DAY_MS })
  t.not((await stripe.customers.create({ name: 'a' }, options)).id, one.id)
  const customer = await customerWith(stripe, 'pm_card_chargeCustomerFail')
  const { id } = await draftFor(stripe, customer, 4900)
  await stripe.invoices.finalizeInvoice(id)
  const pay = () => stripe.invoices.pay(id, {}, { idempotencyKey: 'pay-1' })
  await failed(t, pay(), 'StripeCardError')
  await failed(t, pay(), 'StripeCardError')
  t.match(await stripe.invoices.retrieve(id), { attempt_count: 1 }, 'a failure is kept too')
  const wrong = () => stripe.invoices.create({ customer: 'cus_x' }, { idempotencyKey: 'no-1' })
  await failed(t, wrong(), 'StripeInvalidRequestError', { code: 'resource_missing' })
})

test('faults end a call before or after its work', async (t) => {
  const peer = await startTestPeer(t)
  const stripe = sdk(peer)
  const count = () => peer.store.all('customer').length
  const create = () => stripe.customers.create({}, { idempotencyKey: 'k' + peer.calls.length })
  peer.faults.order({ kind: 'broken', on: 'POST /v1/customers' })
  await failed(t, create(), 'StripeAPIError')
  peer.faults.order({ kind: 'rate_limited' })
  await failed(t, create(), 'StripeRateLimitError')
  peer.faults.order({ kind: 'html' })
  await failed(t, create(), 'StripeAPIError')
  t.equal(count(), 0)
  peer.faults.order({ kind: 'redirect' })
  t.same(Object.keys(await create()).includes('id'), false, 'the SDK takes it for a success')
  await failed(t, sdk(peer, 'sk_test_other000').customers.list(), 'StripeAuthenticationError')
  const elsewhere = stripe.rawRequest('POST', '/v1/subscriptions', {})
  await failed(t, elsewhere, 'StripeInvalidRequestError', { statusCode: 404 })
})

test('the state survives a restart', async (t) => {
  const directory = mkdtempSync(join(tmpdir(), 'svc-stripe-'))
  t.teardown(() => rmSync(directory, { recursive: true, force: true }))
  const statePath = join(directory, 'state.jsonl')
  const first = await startTestPeer(t, { statePath })
  const customer = await customerWith(sdk(first), 'pm_card_visa')
  await control(first, 'clock', { advance_ms: 5 * DAY_MS })
  const { now_ms: before } = await control(first, 'clock')
  await first.close()
  const stripe = sdk(await startTestPeer(t, { statePath }))
  const methods = await stripe.customers.listPaymentMethods(customer)
  t.match(methods.data, [{ type: 'card', card: { brand: 'visa', last4: '4242' } }])
  t.match(await stripe.customers.retrieve(customer), {
    invoice_settings: { default_payment_method: methods.data[0]?.id },
  })
  const again = await startTestPeer(t, { statePath })
  t.ok((await control(again, 'clock')).now_ms >= before)
})

test('the SDK verifies the callbacks, and refusals are repeated', async (t) => {
  const heard: { body: string; signature: string }[] = []
  let refusals = 1
  const server = createServer(async (request, response) => {
    let body = ''
    for await (const part of request) body += part
    heard.push({ body, signature: String(request.headers['stripe-signature']) })
    response.writeHead(refusals-- > 0 ? 500 : 200).end()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.teardown(() => server.close())
  const callbackUrl = 'http://127.0.0.1:' + (server.address() as AddressInfo).port
  const secrets = ['whsec_former', PEER_SECRET]
  const peer = await startTestPeer(t, { callbackUrl, secrets })
  const stripe = sdk(peer)
  await stripe.customers.create({})
  await until(() => heard.length === 2)
  for (const { body, signature } of heard)
    for (const secret of secrets)
      t.match(stripe.webhooks.constructEvent(body, signature, secret), { type: 'customer.created' })
  t.throws(() => stripe.webhooks.constructEvent('{}', heard[0]?.signature ?? '', PEER_SECRET))
  peer.faults.order({ kind: 'duplicate' })
  peer.faults.order({ kind: 'lose', on: 'customer.updated' })
  const { id } = await stripe.customers.create({})
  await until(() => heard.length >= 4)
  await stripe.customers.update(id, { name: 'b' })
  peer.faults.order({ kind: 'reorder' })
  await stripe.customers.create({ name: 'first' })
  await stripe.customers.create({ name: 'second' })
  await until(() => heard.length >= 7)
  const types = heard.map(({ body }) => JSON.parse(body).type)
  t.notOk(types.includes('customer.updated'), 'it was lost')
  const names = heard.slice(-2).map(({ body }) => JSON.parse(body).data.object.name)
  t.same(names, ['second', 'first'])
  const events = await stripe.events.list({ types: ['customer.updated'] })
  t.equal(events.data.length, 1, 'the list has it')
})

test('a person adds a card in the portal, and pays an invoice on its page', async (t) => {
  const peer = await startTestPeer(t)
  const stripe = sdk(peer)
  const { id: customer } = await stripe.customers.create({})
  const features = { payment_method_update: { enabled: true } }
  const { id: configuration } = await stripe.billingPortal.configurations.create({ features })
  const { url } = await stripe.billingPortal.sessions.create({
    ...{ customer, configuration, return_url: 'http://127.0.0.1/back' },
  })
  const send = async (fields: { [name: string]: string }): Promise<string> =>
    (await fetch(url, { method: 'POST', body: new URLSearchParams(fields) })).text()
  const card = { action: 'add', exp_month: '12', exp_year: '2040', cvc: '123' }
  t.match(await send({ ...card, number: '4000000000000002' }), 'Your card was declined.')
  t.match(await send({ ...card, number: '4242 4242 4242 4242' }), /visa •••• 4242 12\/2040/)
  t.match(await send({ ...card, number: '4242424242424242', exp_year: '2020' }), 'declined')
  t.match(await (await fetch(url)).text(), 'href="http://127.0.0.1/back"')
  const { id } = await draftFor(stripe, customer, 4900)
  const { hosted_invoice_url: page } = await stripe.invoices.finalizeInvoice(id)
  t.match(await (await fetch(page ?? '', { method: 'POST' })).text(), 'paid')
  t.match(await stripe.invoices.retrieve(id), { status: 'paid' })
  t.equal((await fetch(url.replace(/.$/, '!'))).status, 404)
})

test('a meter keeps the newest total of a day', async (t) => {
  const peer = await startTestPeer(t)
  const stripe = sdk(peer)
  const { id: customer } = await stripe.customers.create({})
  const { id: meter } = await stripe.billing.meters.create({
    ...{ display_name: 'Cards', event_name: 'cards', event_time_window: 'day' },
    default_aggregation: { formula: 'sum' },
    customer_mapping: { type: 'by_id', event_payload_key: 'stripe_customer_id' },
    value_settings: { event_payload_key: 'value' },
  })
  const today = Math.floor(Date.now() / 1000)
  const day = today - (today % DAY_S)
  const send = (value: number, identifier: string, timestamp = day) => {
    const payload = { stripe_customer_id: customer, value: String(value) }
    return stripe.billing.meterEvents.create({
      event_name: 'cards',
      payload,
      identifier,
      timestamp,
    })
  }
  await send(5, 'a')
  await send(9, 'b')
  await send(2, 'c', day - DAY_S)
  await failed(t, send(1, 'a'), 'StripeInvalidRequestError')
  await failed(t, send(1, 'd', day - 36 * DAY_S), 'StripeInvalidRequestError')
  await failed(t, send(1, 'e', today + 600), 'StripeInvalidRequestError')
  const { data } = await stripe.billing.meters.listEventSummaries(meter, {
    ...{ customer, start_time: day - DAY_S, end_time: day + DAY_S },
    value_grouping_window: 'day',
  })
  t.same(
    data.map(({ aggregated_value }) => aggregated_value),
    [2, 9],
  )
})
