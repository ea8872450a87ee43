// A customer that was deleted at the processor is noticed, and an operator makes it anew. Its open
// invoices are paid there once, and never in both places.
import { test } from 'tap'
import type { Answer } from '../../harness/api.ts'
import { readBilling } from '../../harness/billing.ts'
import { type BillingStory, beginBilling, isOf } from '../../harness/billing-story.ts'
import { runOperator } from '../../harness/installation.ts'
import { seedOperator } from '../../harness/operator.ts'
import { file } from '../../harness/per-file.ts'
import { PEER_KEY } from '../../harness/stripe-peer.ts'

type Story = BillingStory

/** Customers of the tenant that the processor has, and that it had. */
function customersOf({ peer, api }: Story): { id: string; deleted?: true }[] {
  return peer.store.all('customer').filter(({ name }) => name === api.tenant.tenantId)
}

async function deleteCustomer(story: Story): Promise<string> {
  const [customer] = customersOf(story)
  const { status } = await fetch(story.peer.url + '/v1/customers/' + customer?.id, {
    method: 'DELETE',
    headers: { authorization: 'Bearer ' + PEER_KEY },
  })
  if (status !== 200) throw new Error('the processor deleted nothing: ' + status)
  return customer?.id ?? ''
}

async function relink(
  { api }: Story,
  { key, headers = {} }: { key?: string; headers?: { [name: string]: string } } = {},
): Promise<Answer> {
  const path = '/operator/v1/tenants/' + api.tenant.tenantId + '/billing_customer'
  const operator = key ?? (await seedOperator(api.sql))
  return api.call('POST', path, { key: operator, body: { environment: 'sandbox' }, headers })
}

async function isNoticed({ api }: Story): Promise<boolean> {
  const rows = await api.sql`
    select from billing_exceptions
    where kind = 'customer_deleted' and tenant_id = ${api.tenant.tenantId}`
  return rows.length === 1
}

const invoicesAt = ({ peer, invoiceId }: Story) =>
  peer.store.all('invoice').filter(({ metadata }) => isOf(metadata, invoiceId))

test('a deleted customer is noticed, made anew, and pays once', async (t) => {
  const story = await beginBilling(file, { card: 'declined' })
  const { api, settle, settled, invoice, invoiceId, charges } = story
  await settle()
  t.match(await invoice(), { status: 'open', attempts: 1 })
  t.match(await relink(story), { status: 409 }, 'the processor has it')
  const gone = await deleteCustomer(story)
  await settled(() => isNoticed(story))
  t.match((await readBilling(api, 'payment_methods')).data, [{ status: 'detached' }])
  const made = await relink(story)
  t.match(made, { status: 200, body: { replaced_id: gone, invoices: [invoiceId] } })
  t.not(made.body.processor_id, gone)
  t.match(await relink(story), { status: 409 }, 'it is there again')
  const { data } = (await api.call('GET', '/v1/audit_log?limit=5', { key: api.tenant.keys.admin }))
    .body
  t.match(
    data.filter((row: Answer['body']) => row.resource_id === made.body.id),
    [{ actor: { type: 'operator' }, action: /billing_customer/ }],
  )
  await settle()
  t.match(await invoice(), { status: 'open', attempts: 2 }, 'no card is there')
  await story.addCard('visa')
  await settle()
  t.match(await invoice(), { status: 'paid' })
  t.match(await story.subscription(), { status: 'active', overdue_since: null })
  t.equal(charges(), 1)
  t.same(
    invoicesAt(story)
      .map(({ status, customer }) => [customer, status])
      .sort(),
    [
      [gone, 'void'],
      [made.body.processor_id, 'paid'],
    ].sort(),
  )
})

test('a deletion that no callback tells is found in the night', async (t) => {
  const story = await beginBilling(file, { card: 'visa' })
  const { api, peer, settle } = story
  await settle()
  peer.faults.order({ kind: 'lose', on: 'customer', times: 20 })
  peer.faults.order({ kind: 'broken', on: 'GET /v1/events', times: 100 })
  await deleteCustomer(story)
  for (let hours = 0; hours <= 48; hours += 4) {
    api.clock.nowMs += 4 * 3_600_000
    await settle()
  }
  t.ok(await isNoticed(story))
})

test('a customer whose making was not answered is found, not made twice', async (t) => {
  const story = await beginBilling(file, { card: 'visa', isSent: true })
  const { peer, settle, invoice } = story
  await settle()
  const { hosted_url } = await invoice()
  await deleteCustomer(story)
  peer.faults.order({ kind: 'cut_after', on: 'POST /v1/customers' })
  t.match(await relink(story), { status: 503 })
  const headers = { 'idempotency-key': 'relink-1' }
  const repeated = { key: await seedOperator(story.api.sql), headers }
  const made = await relink(story, repeated)
  t.match(made, { status: 200 })
  t.match(await relink(story, repeated), { status: 200, body: made.body }, 'a repeat is answered')
  t.equal(customersOf(story).filter(({ deleted }) => deleted !== true).length, 1)
  await settle()
  const sent = await invoice()
  t.match(sent, { status: 'open', hosted_url: peer.url })
  t.not(sent.hosted_url, hosted_url, 'it has another page')
  await story.addCard('visa')
  await fetch(sent.hosted_url, { method: 'POST' })
  await story.settled(async () => (await invoice()).status === 'paid')
  t.equal(story.charges(), 1)
})

test('an invoice that was paid before the deletion is not sent anew', async (t) => {
  const story = await beginBilling(file, { card: 'visa', isSent: true })
  const { peer, settle, invoice, charges } = story
  await settle()
  const { hosted_url } = await invoice()
  peer.faults.order({ kind: 'lose', on: 'invoice', times: 20 })
  await fetch(hosted_url, { method: 'POST' })
  await deleteCustomer(story)
  t.match(await relink(story), { status: 200, body: { invoices: [] } })
  story.api.clock.nowMs += 3_700_000
  await settle()
  t.match(await invoice(), { status: 'paid' })
  t.equal(charges(), 1)
  t.equal(invoicesAt(story).length, 1)
})

test('an operator relinks by the command line', async (t) => {
  const story = await beginBilling(file, { card: 'visa' })
  const { api, settle } = story
  await settle()
  await deleteCustomer(story)
  const port = new URL(api.url).port
  const settings = { SVC_DATA_DIR: t.testdir(), SVC_API_PORT: port }
  const key = { SVC_OPERATOR_KEY: await seedOperator(api.sql) }
  const at = ['--environment', 'sandbox', '--json']
  const words = ['billing', 'relink', api.tenant.tenantId, ...at]
  const { code, out } = await runOperator({ ...settings, ...key }, ...words)
  t.equal(code, 0)
  t.match(JSON.parse(out), { object: 'billing_customer', invoices: [] })
  await story.addCard('visa')
  t.match((await readBilling(api, 'payment_methods')).data[0], { status: 'attached' })
})
