// Collecting and dunning through the running API beside the sandbox's processor. The subscription
// comes from an operator's call, with its first invoice.
import { type Test, test } from 'tap'
import { processorJobs } from '../../../api/billing/collection/index.ts'
import { DAY_MS } from '../../harness/billing.ts'
import { type BillingStory, beginBilling, isOf } from '../../harness/billing-story.ts'
import { runJob } from '../../harness/jobs.ts'
import { file } from '../../harness/per-file.ts'

/** The base price of the contract. */
const TOTAL = 4900

type Story = BillingStory

const begin = (card: string | null, isSent = false): Promise<Story> =>
  beginBilling(file, { card, isSent })

test('an invoice is made, opened and paid, each call with its key', async (t) => {
  const story = await begin('visa')
  await story.settle()
  t.match(await story.invoice(), { status: 'paid', total_cents: TOTAL, attempts: 0 })
  t.match(await story.subscription(), { status: 'active', overdue_since: null })
  t.equal(story.charges(), 1)
  const keys = story.peer.calls.flatMap(({ key }) => (key?.startsWith('inv_') ? [key] : []))
  const { invoiceId: id } = story
  t.same(keys, [id + '-create', id + '-lines', id + '-finalize', id + '-pay-1'])
  t.same(await story.notices(), [])
  await story.settle()
  t.equal(story.charges(), 1, 'paid is final')
})

for (const [name, on] of [
  ['create', 'POST /v1/invoices'],
  ['lines', '/add_lines'],
  ['finalize', '/finalize'],
  ['pay', '/pay'],
] as const)
  test('the answer of ' + name + ' is lost, and the processor is away for 25 hours', async (t) => {
    const story = await begin('visa')
    const { peer, api } = story
    peer.faults.order({ kind: 'lose', on: 'invoice', times: 20 })
    peer.faults.order({ kind: 'cut_after', on })
    peer.faults.order({ kind: 'broken', on: 'GET /v1/', times: 4 })
    await story.settle()
    t.match(await story.invoice(), { status: 'open' })
    api.clock.nowMs += 25 * 3_600_000
    for (let tries = 0; tries < 12; tries++) {
      await story.settle()
      api.clock.nowMs += 120_000
    }
    t.match(await story.invoice(), { status: 'paid', attempts: 0 })
    const made = peer.store.all('invoice').filter(({ metadata }) => isOf(metadata, story.invoiceId))
    t.equal(made.length, 1, 'one invoice is there')
    t.equal(story.charges(), 1)
  })

test('a payment whose answer is lost is paid once though its callback comes first', async (t) => {
  const story = await begin('visa')
  story.peer.faults.order({ kind: 'cut_after', on: '/pay' })
  await story.settled(async () => (await story.invoice()).status === 'paid')
  t.equal(story.charges(), 1)
  t.match(await story.subscription(), { status: 'active' })
})

test('two dispatchers make one call at a time', async (t) => {
  const story = await begin('visa')
  const { api, processors, peer } = story
  peer.faults.order({ kind: 'slow', on: '/pay', delay_ms: 150 })
  const collect = processorJobs(processors).find(({ name }) => name === 'billing_collect')
  if (collect === undefined) throw new Error('no job')
  const once = () => runJob(collect, { sql: api.sql, now: api.clock.nowMs })
  const done = await Promise.all([once(), once(), once()])
  t.same(done.sort(), [0, 0, 1])
  t.match(await story.invoice(), { status: 'paid' })
  const pays = peer.calls.filter(({ key }) => key === story.invoiceId + '-pay-1')
  t.equal(pays.length, 1)
})

test('a person pays on the hosted page before we do: one charge', async (t) => {
  const story = await begin('authentication_required')
  await story.settle()
  const invoice = await story.invoice()
  t.match(invoice, { status: 'open', attempts: 1, hosted_url: story.peer.url })
  t.same(await story.notices(), ['action_required'])
  t.match(await story.subscription(), { status: 'past_due' })
  await fetch(invoice.hosted_url, { method: 'POST' })
  await story.settled(async () => (await story.invoice()).status === 'paid')
  t.equal(story.charges(), 1)
  t.match(await story.subscription(), { status: 'active', overdue_since: null })
  t.same(await story.notices(), ['payment_succeeded', 'action_required'])
})

async function attempts(story: Story): Promise<number> {
  return (await story.invoice()).attempts
}

test('attempts follow after 1, 3, 7 and 14 days, and stages after 14, 28 and 60', async (t) => {
  const story = await begin('declined')
  const { api } = story
  const from = api.clock.nowMs
  const at = async (days: number) => {
    api.clock.nowMs = from + days * DAY_MS
    await story.settle()
    return [await attempts(story), (await story.subscription()).status]
  }
  t.same(await at(0), [1, 'past_due'])
  t.same(await at(0.9), [1, 'past_due'])
  t.same(await at(1), [2, 'past_due'])
  t.same(await at(3), [3, 'past_due'])
  t.same(await at(7), [4, 'past_due'])
  t.same(await at(13.9), [4, 'past_due'])
  t.same(await at(14), [5, 'restricted'])
  t.same(await at(28), [5, 'suspended'])
  t.same(await story.notices(), [
    ...['suspended', 'suspension_ahead', 'restricted', 'payment_failed', 'restriction_ahead'],
    ...['payment_failed', 'payment_failed', 'payment_failed', 'payment_failed'],
  ])
  await story.addCard('visa')
  await story.settle()
  t.match(await story.invoice(), { status: 'paid' })
  t.match(await story.subscription(), { status: 'active' })
  t.equal(story.charges(), 1)
})

test('a year passes at once: one attempt, every stage, then canceled', async (t) => {
  const story = await begin('declined')
  await story.settle()
  story.api.clock.nowMs += 365 * DAY_MS
  await story.settle()
  t.equal(await attempts(story), 2)
  t.match(await story.subscription(), { status: 'canceled', status_reason: 'uncollectible' })
  t.match(await story.invoice(), { status: 'uncollectible' })
  const theirs = story.peer.store.all('invoice').find((one) => isOf(one.metadata, story.invoiceId))
  t.equal(theirs?.status, 'uncollectible', 'the processor knows it')
  const kinds = await story.notices()
  for (const kind of ['restriction_ahead', 'restricted', 'suspension_ahead', 'suspended'])
    t.equal(kinds.filter((one) => one === kind).length, 1, kind)
  t.ok(kinds.includes('cancellation_ahead') && kinds.includes('canceled'))
})

test('a hard decline waits for a new card, and processing is no failure', async (t) => {
  const story = await begin('visa')
  const { api, peer } = story
  peer.faults.order({ kind: 'decline', decline_code: 'stolen_card' })
  await story.settle()
  api.clock.nowMs += 20 * DAY_MS
  await story.settle()
  t.equal(await attempts(story), 1, 'the same card is not tried again')
  peer.faults.order({ kind: 'processing' })
  await story.addCard('mastercard')
  await story.settle()
  t.match(await story.invoice(), { status: 'open', attempts: 1 })
  api.clock.nowMs += DAY_MS
  await story.settle()
  t.equal(await attempts(story), 1)
  t.equal(story.charges(), 0)
})

test('a tenant without a card owes, and pays when it adds one', async (t) => {
  const story = await begin(null)
  await story.settle()
  t.match(await story.invoice(), { status: 'open', attempts: 1 })
  t.match(await story.subscription(), { status: 'past_due' })
  await story.addCard('visa')
  await story.settle()
  t.match(await story.invoice(), { status: 'paid' })
})

test('a sent invoice is overdue from its due date, and paid on its page', async (t) => {
  const story = await begin('visa', true)
  await story.settle()
  const invoice = await story.invoice()
  t.match(invoice, { status: 'open', attempts: 0, hosted_url: story.peer.url })
  t.match(await story.subscription(), { status: 'active' })
  story.api.clock.nowMs += 30 * DAY_MS
  await story.settle()
  t.match(await story.subscription(), { status: 'past_due', overdue_since: invoice.due_at })
  await fetch(invoice.hosted_url, { method: 'POST' })
  await story.settled(async () => (await story.subscription()).status === 'active')
  t.equal(story.charges(), 1)
})

async function exceptions(t: Test, { api, invoiceId }: Story, kind: string): Promise<void> {
  const rows = await api.sql`
    select from billing_exceptions where kind = ${kind} and subject = ${invoiceId}`
  t.equal(rows.length, 1, kind)
}

test('a wrong total or a balance is no reason to charge', async (t) => {
  const wrong = await begin('visa')
  wrong.peer.faults.order({ kind: 'wrong_total' })
  await wrong.settle()
  await exceptions(t, wrong, 'wrong_total')
  t.equal(wrong.charges(), 0)
  t.match(await wrong.invoice(), { status: 'open' })
  const owing = await begin('visa')
  const known = owing.peer.store
    .all('customer')
    .find(({ name }) => name === owing.api.tenant.tenantId)
  if (known === undefined) throw new Error('no customer')
  owing.peer.store.put('customer', { ...known, balance: 700 })
  await owing.settle()
  await exceptions(t, owing, 'wrong_total')
  t.equal(owing.charges(), 0)
  const gone = await begin('visa')
  const customer = gone.peer.store
    .all('customer')
    .find(({ name }) => name === gone.api.tenant.tenantId)
  if (customer === undefined) throw new Error('no customer')
  gone.peer.store.put('customer', { ...customer, deleted: true })
  await gone.settle()
  await exceptions(t, gone, 'not_collectable')
  const other = await begin('visa')
  await other.settle()
  t.match(await other.invoice(), { status: 'paid' }, 'others go on')
})

test('the processor is away for seven days: paid once, dunning from the first attempt', async (t) => {
  const story = await begin('declined')
  const { peer, api } = story
  peer.faults.order({ kind: 'cut_before', on: '/v1/', times: 1000 })
  for (let days = 0; days < 7; days++) {
    await story.settle()
    api.clock.nowMs += DAY_MS
  }
  t.match(await story.subscription(), { status: 'active', overdue_since: null })
  t.equal(await attempts(story), 0)
  peer.faults.clear()
  await story.settle()
  t.equal(await attempts(story), 1)
  const { overdue_since } = await story.subscription()
  t.equal(overdue_since, Math.floor(api.clock.nowMs / 1000))
})
