// Faults between the processor and us: callbacks in every order, two payers at once, an outage
// over a boundary, an invoice of a stranger, an answer that never comes.
import { type Test, test } from 'tap'
import { processorJobs } from '../../../api/billing/collection/index.ts'
import { openProcessors } from '../../../api/billing/processor/index.ts'
import { systemClock } from '../../../shared/clock.ts'
import { catchUp, closeMonths, countUsage, DAY_MS, readBilling } from '../../harness/billing.ts'
import { type BillingStory, beginBilling, isOf } from '../../harness/billing-story.ts'
import { runJob } from '../../harness/jobs.ts'
import { file } from '../../harness/per-file.ts'
import { PEER_KEY } from '../../harness/stripe-peer.ts'
import { until } from '../../harness/until.ts'

const CALLBACK_FAULTS = [
  ['three times', { kind: 'duplicate', times: 20 }],
  ['in the wrong order', { kind: 'reorder', times: 1 }],
  ['two days late', { kind: 'delay', times: 20, delay_ms: 2 * DAY_MS }],
  ['never', { kind: 'lose', times: 20 }],
] as const

for (const [name, fault] of CALLBACK_FAULTS)
  test('callbacks of an invoice come ' + name + ', and the outcome is the same', async (t) => {
    const story = await beginBilling(file, { card: 'authentication_required' })
    const { api, peer, settle, invoice, notices } = story
    peer.faults.order({ ...fault, on: 'invoice' })
    await settle()
    const { hosted_url } = await invoice()
    if (fault.kind === 'reorder') peer.faults.order({ ...fault, on: 'invoice.paid' })
    await fetch(hosted_url, { method: 'POST' })
    // The hourly look and the processor's list of events find what no callback told.
    api.clock.nowMs += 3_700_000
    for (let tries = 0; tries < 3; tries++) await settle()
    api.clock.nowMs += 2 * DAY_MS
    // Any call lets the processor tell what is late.
    await fetch(hosted_url, { method: 'POST' })
    await until(() => peer.store.callbacks().length === 0)
    await settle()
    t.match(await invoice(), { status: 'paid', attempts: 1 })
    t.match(await story.subscription(), { status: 'active', overdue_since: null })
    t.same(await notices(), ['payment_succeeded', 'action_required'])
    t.equal(story.charges(), 1)
  })

test('a person and we pay at one moment: one charge', async (t) => {
  for (const delay_ms of [0, 30, 60]) {
    const story = await beginBilling(file, { card: 'visa' })
    const { peer, settle, invoice, charges } = story
    // The attempt is declined once, hence the invoice has a page.
    peer.faults.order({ kind: 'decline', decline_code: 'insufficient_funds' })
    await settle()
    const { hosted_url } = await invoice()
    story.api.clock.nowMs += DAY_MS
    peer.faults.order({ kind: 'slow', on: '/pay', delay_ms })
    await Promise.all([settle(), fetch(hosted_url, { method: 'POST' })])
    await story.settled(async () => (await invoice()).status === 'paid')
    t.equal(charges(), 1, 'with ' + delay_ms + ' ms between them')
  }
})

/** Passes the boundary that is due and closes the month. */
async function close({ api }: BillingStory): Promise<void> {
  await closeMonths(api)
  await catchUp(api)
  await countUsage(api)
  await closeMonths(api)
}

test('the processor is away for seven days over a boundary: each month is paid once', async (t) => {
  const story = await beginBilling(file, { card: 'visa' })
  const { api, peer, settle, charges } = story
  await settle()
  t.equal(charges(), 1)
  api.clock.nowMs += 28 * DAY_MS
  peer.faults.order({ kind: 'cut_before', on: '/v1/', times: 1000 })
  for (let days = 0; days < 7; days++) {
    api.clock.nowMs += DAY_MS
    await close(story)
    await settle()
  }
  const { data } = await readBilling(api, 'invoices')
  t.match(data, [
    { kind: 'period', ordinal: 1, status: 'open', attempts: 0 },
    { kind: 'period', ordinal: 0, status: 'paid' },
  ])
  t.match(await story.subscription(), { status: 'active' }, 'no attempt was made, none failed')
  peer.faults.clear()
  api.clock.nowMs += 3_600_000
  await settle()
  const paid = (await readBilling(api, 'invoices')).data
  for (const { id, status } of paid) {
    t.equal(status, 'paid')
    const theirs = peer.store.all('invoice').filter(({ metadata }) => isOf(metadata, id))
    t.equal(theirs.length, 1, 'one invoice is there')
    const made = peer.store.all('charge').filter(({ invoice }) => invoice === theirs[0]?.id)
    t.equal(made.length, 1, 'one charge')
  }
})

async function exceptionsOf({ api }: BillingStory): Promise<string[]> {
  const rows = await api.sql<{ kind: string }[]>`
    select kind from billing_exceptions where tenant_id = ${api.tenant.tenantId}`
  return rows.map(({ kind }) => kind)
}

test('an invoice that somebody made at the processor is an exception, and charges nothing', async (t) => {
  const story = await beginBilling(file, { card: 'visa' })
  const { peer, settle } = story
  await settle()
  const ours = peer.store.all('invoice').find(({ metadata }) => isOf(metadata, story.invoiceId))
  const body = new URLSearchParams({ customer: ours?.customer ?? '', currency: 'usd' })
  const made = await fetch(peer.url + '/v1/invoices', {
    ...{ method: 'POST', body },
    headers: { authorization: 'Bearer sk_test_peer0123456789' },
  })
  t.equal(made.status, 200)
  await story.settled(async () => (await exceptionsOf(story)).length > 0)
  t.same(await exceptionsOf(story), ['unknown_invoice'])
  t.equal((await readBilling(story.api, 'invoices')).data.length, 1, 'it is none of ours')
  t.equal(story.charges(), 1)
})

/** Transactions of this database that were open at a moment of its clock, and still are. */
async function stillOpen({ api }: BillingStory, since: Date): Promise<number> {
  const [row] = await api.sql<{ count: number }[]>`
    select count(*)::int as count from pg_stat_activity
    where datname = current_database() and state like 'idle in transaction%'
      and xact_start <= ${since}`
  return row?.count ?? 0
}

async function hang(t: Test, on: string): Promise<void> {
  const story = await beginBilling(file, { card: 'visa' })
  const { peer, settle, invoice, api } = story
  peer.faults.order({ kind: 'hang', on })
  let isOver = false
  const settling = settle().then(() => {
    isOver = true
  })
  await until(() => peer.faults.list().length === 0)
  const [row] = await api.sql<{ now: Date }[]>`select clock_timestamp() as now`
  const read = await api.call('GET', '/v1/billing/invoices', {
    ...{ key: api.tenant.keys.admin },
  })
  t.equal(read.status, 200, 'others are answered meanwhile')
  const left = await stillOpen(story, row?.now ?? new Date(0))
  t.notOk(isOver, 'the processor hangs')
  t.equal(left, 0, 'no transaction waits for the processor')
  await settling
  api.clock.nowMs += 120_000
  await settle()
  t.match(await invoice(), { status: 'paid', attempts: 0 })
  t.equal(story.charges(), 1)
}

for (const on of ['POST /v1/invoices', '/finalize', '/pay'])
  test('a processor that hangs at ' + on + ' keeps no transaction open', (t) => hang(t, on))

test('a fetch that hangs keeps no later callback waiting', async (t) => {
  const first = await beginBilling(file, { card: 'visa', isSent: true })
  await first.settle()
  const later = await beginBilling(file, { card: 'visa', isSent: true })
  await later.settle()
  const { peer, api } = later
  const config = { keys: { sandbox: PEER_KEY, live: null }, url: peer.url, ratePerS: 1000 }
  const patient = openProcessors(config, { clock: systemClock, callMsMax: 60_000 })
  const job = processorJobs(patient).find(({ name }) => name === 'billing_bells')
  if (job === undefined) throw new Error('no job')
  const rung = (type: string, count: number) => async (): Promise<boolean> =>
    (await api.sql`select from billing_processor_events where type = ${type}`).length >= count
  const page = async ({ invoice }: BillingStory): Promise<string> => (await invoice()).hosted_url
  const [known] = await api.sql<{ count: number }[]>`
    select count(*) from billing_processor_events where type = 'invoice.paid'`
  const before = known?.count ?? 0
  peer.faults.order({ kind: 'hang', on: 'GET /v1/invoices/' })
  await fetch(await page(first), { method: 'POST' })
  await until(rung('invoice.paid', before + 1))
  let isOver = false
  const running = runJob(job, { sql: api.sql, now: api.clock.nowMs }).finally(() => {
    isOver = true
  })
  await until(() => peer.faults.list().length === 0)
  await fetch(await page(later), { method: 'POST' })
  await until(async () => (await later.invoice()).status === 'paid')
  t.notOk(isOver, 'the first fetch still hangs')
  t.match(await first.invoice(), { status: 'open' })
  await patient.close()
  await running
  api.clock.nowMs += 10_000
  await later.settled(async () => (await first.invoice()).status === 'paid')
})
