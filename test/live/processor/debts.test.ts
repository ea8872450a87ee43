// Debts that end otherwise than by a payment: voided, given up, or under an override. Each leaves
// the subscription in the status that its debts cause, and nothing is charged that is not owed.
import { test } from 'tap'
import { processorJobs } from '../../../api/billing/collection/index.ts'
import { tx } from '../../../api/database/transaction.ts'
import type { Answer, TestApi } from '../../harness/api.ts'
import { startBilledApi } from '../../harness/billed.ts'
import {
  changeBilling,
  DAY_MS,
  moveSandbox,
  provision,
  readBilling,
} from '../../harness/billing.ts'
import { beginGivenUp, beginSubscribed, override } from '../../harness/billing-months.ts'
import { beginBilling } from '../../harness/billing-story.ts'
import { seedTransactions } from '../../harness/drained.ts'
import { runJob } from '../../harness/jobs.ts'
import { seedOperator } from '../../harness/operator.ts'
import { file } from '../../harness/per-file.ts'
import { until } from '../../harness/until.ts'

async function voidInvoice(api: TestApi, id: string): Promise<Answer> {
  const key = await seedOperator(api.sql)
  return api.call('POST', '/operator/v1/invoices/' + id + '/void', { key, body: {} })
}

test('a voided debt leaves the next one as the oldest, and the last leaves none', async (t) => {
  const { api, peer, settle, subscription } = await beginBilling(file, {
    ...{ card: null, isSent: true },
  })
  // The processor has neither invoice: both may be voided.
  peer.faults.order({ kind: 'cut_before', on: '/v1/', times: 10_000 })
  const due = async (): Promise<Answer['body'][]> =>
    (await readBilling(api, 'invoices?order=asc')).data
  api.clock.nowMs += 20 * DAY_MS
  await provision(api, { base_cents: 99_900, net_days: 30 })
  api.clock.nowMs += 32 * DAY_MS
  await settle()
  const [first, second] = await due()
  t.match(await subscription(), { status: 'restricted', overdue_since: first.due_at })
  t.equal((await voidInvoice(api, first.id)).status, 200)
  t.match(await subscription(), { status: 'past_due', overdue_since: second.due_at })
  t.equal((await voidInvoice(api, second.id)).status, 200)
  t.match(await subscription(), { status: 'active', overdue_since: null })
})

test('an invoice is voided or collected, whoever of both comes first', async (t) => {
  const { api, processors, invoice, invoiceId, charges, settle } = await beginBilling(file, {
    card: 'visa',
  })
  const collect = processorJobs(processors).find(({ name }) => name === 'billing_collect')
  if (collect === undefined) throw new Error('no job')
  const waiting = async (most: number): Promise<boolean> => {
    const [row] = await api.sql<{ count: number }[]>`
      select count(*)::int as count from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock'`
    return (row?.count ?? 0) >= most
  }
  let collecting: Promise<unknown> = Promise.resolve()
  let voiding: Promise<Answer> = Promise.resolve({ status: 0 } as Answer)
  let isVoided = false
  // The job read the open invoice, and waits before it notes its first call.
  await tx(api.sql, async (sql) => {
    await sql`lock table billing_collections in share row exclusive mode`
    collecting = runJob(collect, { sql: api.sql, now: api.clock.nowMs })
    await until(() => waiting(1))
    voiding = voidInvoice(api, invoiceId).finally(() => {
      isVoided = true
    })
    await until(async () => isVoided || (await waiting(2)))
  })
  await collecting
  const { status } = await voiding
  await settle()
  t.ok([200, 409].includes(status), String(status))
  t.match(await invoice(), { status: status === 200 ? 'void' : 'paid' })
  t.equal(charges(), status === 200 ? 0 : 1)
})

test('a last invoice that is paid does not bring back a subscription whose debts were given up', async (t) => {
  const { api, at, addCard, invoices } = await beginSubscribed(file, '2027-03-10T12:00:00Z')
  await at('2027-04-10T12:00:01Z')
  await at('2027-05-10T12:00:01Z')
  const used = Date.parse('2027-06-09T13:00:00Z')
  await at('2027-06-09T12:30:00Z')
  const ended = { status: 'canceled', status_reason: 'uncollectible' }
  t.match(await readBilling(api, 'subscription'), ended)
  await seedTransactions(api.sql, api.tenant, { count: 12_345, at: used })
  await addCard('visa')
  await at('2027-06-10T12:00:01Z')
  const [last] = await invoices()
  t.match(last, { kind: 'final', status: 'paid', total_cents: 2111 })
  t.match(await readBilling(api, 'subscription'), ended, 'the debt of April is not paid')
})

const ASKED = { plan: 'starter', interval: 'month', currency: 'USD' }
const UNCOLLECTIBLE = { status: 'canceled', status_reason: 'uncollectible' }

test('a given-up invoice is voided at the processor too, and the subscription goes on', async (t) => {
  const { api, at, addCard, debt, theirs, peer } = await beginGivenUp(file, '2027-06-09T13:00:00Z')
  t.match(debt, { total_cents: 3900 })
  t.match(await readBilling(api, 'subscription'), UNCOLLECTIBLE)
  peer.faults.order({ kind: 'cut_before', on: '/v1/invoices/', times: 1 })
  t.equal((await voidInvoice(api, debt.id)).status, 503, 'the processor does not answer')
  t.match(await readBilling(api, 'invoices/' + debt.id), { status: 'uncollectible' })
  await addCard('visa')
  t.match(await voidInvoice(api, debt.id), { status: 200, body: { status: 'void' } })
  t.equal(theirs()?.status, 'void')
  const going = { status: 'active', overdue_since: null, status_reason: null }
  t.match(await readBilling(api, 'subscription'), going)
  t.equal((await voidInvoice(api, debt.id)).status, 409)
  await at('2027-06-11T00:00:00Z')
  t.match(await readBilling(api, 'subscription'), going, 'its next month began')
})

test('a given-up invoice that was paid at the processor becomes paid', async (t) => {
  const { api, peer, debt, theirs } = await beginGivenUp(file, '2027-06-09T13:00:00Z')
  const invoice = theirs()
  if (invoice === undefined) throw new Error('no invoice')
  peer.store.put('invoice', {
    ...invoice,
    status: 'paid',
    amount_paid: invoice.total + 1,
    total: 1,
  })
  t.match(await voidInvoice(api, debt.id), {
    ...{ status: 409, body: { error: { message: 'The processor was paid another sum.' } } },
  })
  peer.store.put('invoice', { ...invoice, status: 'paid', amount_paid: invoice.total })
  const ended = await voidInvoice(api, debt.id)
  t.match(ended, { status: 200, body: { status: 'paid', paid_at: Number } })
  t.match(await readBilling(api, 'subscription'), {
    ...{ status: 'active', overdue_since: null, credit_cents: 0 },
  })
})

test('a debt that ends behind the last boundary begins nothing, and another one may', async (t) => {
  const { api, addCard, debt } = await beginGivenUp(file, '2027-06-11T00:00:00Z')
  t.equal((await voidInvoice(api, debt.id)).status, 200)
  const ended = { ...UNCOLLECTIBLE, overdue_since: null, credit_cents: 1000 }
  t.match(await readBilling(api, 'subscription'), ended)
  await addCard('visa')
  const made = await changeBilling(api, 'POST subscription', ASKED)
  t.match(made, { status: 201, body: { status: 'active', overdue_since: null } })
})

test('credit of an invoice whose subscription was replaced goes to the new one', async (t) => {
  const { api, addCard, debt } = await beginGivenUp(file, '2027-06-11T00:00:00Z')
  await addCard('visa')
  const made = await changeBilling(api, 'POST subscription', ASKED)
  t.match(made, { status: 201, body: { status: 'active', credit_cents: 0 } })
  await api.sql`
    update billing_subscriptions set currency = 'EUR' where id = ${made.body.id}`
  const refused = await voidInvoice(api, debt.id)
  t.match(refused.body.error, { code: 'invalid_state', message: /used up credit/ })
  await api.sql`
    update billing_subscriptions set currency = 'USD' where id = ${made.body.id}`
  t.match(await voidInvoice(api, debt.id), { status: 200, body: { status: 'void' } })
  t.match(await readBilling(api, 'subscription'), {
    ...{ id: made.body.id, status: 'active', credit_cents: 1000 },
  })
})

test('a last invoice that fails begins no second dunning', async (t) => {
  const { api, at, invoices } = await beginSubscribed(file, '2027-03-10T12:00:00Z')
  await at('2027-04-10T12:00:01Z')
  await at('2027-06-09T12:30:00Z')
  const used = Date.parse('2027-06-09T13:00:00Z')
  await seedTransactions(api.sql, api.tenant, { count: 12_345, at: used })
  await at('2027-06-10T12:00:01Z')
  t.match((await invoices())[0], { kind: 'final', status: 'open', attempts: 1 })
  const ended = { status: 'canceled', status_reason: 'uncollectible' }
  t.match(await readBilling(api, 'subscription'), ended)
})

test('while an override holds no debt is given up, and no stage is told', async (t) => {
  const { api, at, addCard, invoices } = await beginSubscribed(file, '2027-03-10T12:00:00Z')
  await at('2027-04-10T12:00:01Z')
  await override(api, '2027-06-25T00:00:00Z', 'active')
  await at('2027-06-15T00:00:00Z')
  t.match(await readBilling(api, 'subscription'), { status: 'active' })
  const kinds = async (): Promise<string[]> =>
    (await readBilling(api, 'notices?limit=100')).data.map((row: Answer['body']) => row.kind)
  t.notOk((await kinds()).includes('canceled'))
  t.notOk((await kinds()).includes('cancellation_ahead'))
  await at('2027-06-22T12:00:00Z')
  t.ok((await kinds()).includes('cancellation_ahead'), 'three days before the end of the override')
  await addCard('visa')
  await at('2027-06-23T00:00:00Z')
  t.same([...new Set((await invoices()).map(({ status }) => status))], ['paid'])
  await at('2027-06-26T00:00:00Z')
  t.match(await readBilling(api, 'subscription'), { status: 'active', overdue_since: null })
})

test('debts that an override hid are given up at its end', async (t) => {
  const { api, at, invoices } = await beginSubscribed(file, '2027-03-10T12:00:00Z')
  await at('2027-04-10T12:00:01Z')
  await override(api, '2027-06-25T00:00:00Z', 'active')
  await at('2027-06-15T00:00:00Z')
  await at('2027-06-25T00:00:01Z')
  t.match(await readBilling(api, 'subscription'), { status: 'canceled' })
  t.match((await invoices()).at(-2), { status: 'uncollectible' })
})

test('a subscription whose debts were given up is replaced, not changed', async (t) => {
  const { api, at, addCard, invoices } = await beginSubscribed(file, '2027-03-10T12:00:00Z')
  const { id } = await readBilling(api, 'subscription')
  await at('2027-04-10T12:00:01Z')
  await at('2027-06-10T12:00:01Z')
  await at('2027-06-11T00:00:00Z')
  await override(api, '2027-07-20T00:00:00Z', 'active')
  await addCard('visa')
  t.match(await readBilling(api, 'subscription'), { id, status: 'active' })
  const over = { status: 409, body: { error: { code: 'invalid_state' } } }
  const change = { plan: 'growth', effective: 'period_end' }
  t.match(await changeBilling(api, 'PATCH subscription', change), over)
  t.match(await readBilling(api, 'invoice_preview?plan=starter'), { net_cents: 4900 })
  const asked = { plan: 'starter', interval: 'month', currency: 'USD' }
  const made = await changeBilling(api, 'POST subscription', asked)
  t.match(made, { status: 201, body: { status: 'active', dunning_override: null } })
  t.not(made.body.id, id)
  await at('2027-07-11T00:00:01Z')
  t.match((await invoices()).slice(0, 2), [
    { kind: 'period', ordinal: 1, status: 'paid', total_cents: 4900 },
    { kind: 'period', ordinal: 0, status: 'paid', total_cents: 4900 },
  ])
})

test('a sent invoice whose lines were not taken is sent though no callback tells of it', async (t) => {
  const { api, peer, settle, invoice } = await beginBilling(file, { card: null, isSent: true })
  peer.faults.order({ kind: 'lose', on: '', times: 1000 })
  peer.faults.order({ kind: 'broken', on: 'GET /v1/events', times: 1000 })
  peer.faults.order({ kind: 'cut_before', on: '/add_lines' })
  await settle()
  t.match(await invoice(), { status: 'open', hosted_url: null })
  api.clock.nowMs += 120_000
  await settle()
  t.match(await invoice(), { status: 'open', hosted_url: peer.url })
})

test('an override of a trial that ended does not keep its tenant from paying', async (t) => {
  const { api, settle } = await startBilledApi(file)
  const sent = { key: api.tenant.keys.admin, body: { card: 'visa' } }
  await api.call('POST', '/v1/simulate/payment_methods', sent)
  const { body: trial } = await changeBilling(api, 'POST trial', { plan: 'starter' })
  const ended = trial.trial.until * 1000 + DAY_MS
  await moveSandbox(api, ended)
  await override(api, new Date(ended + 20 * DAY_MS).toISOString().slice(0, 19) + 'Z', 'active')
  t.match(await readBilling(api, 'subscription'), { id: trial.id, status: 'active' })
  const asked = { plan: 'starter', interval: 'month', currency: 'USD' }
  const late = await changeBilling(api, 'POST subscription', { ...asked, starts: 'trial_end' })
  t.match(late, { status: 409, body: { error: { code: 'invalid_state' } } })
  const made = await changeBilling(api, 'POST subscription', asked)
  t.match(made, { status: 201, body: { id: trial.id, status: 'active' } })
  await settle()
  t.match((await readBilling(api, 'invoices')).data, [{ status: 'paid', total_cents: 4900 }])
})
