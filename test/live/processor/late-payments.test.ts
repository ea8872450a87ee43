// An invoice that was given up is paid at the processor after all. Its debt ends by itself, once,
// whatever becomes of the callback.
import { type Test, test } from 'tap'
import { DAY_MS, readBilling } from '../../harness/billing.ts'
import { beginGivenUp, type GivenUpApi } from '../../harness/billing-months.ts'
import { file } from '../../harness/per-file.ts'

const UNCOLLECTIBLE = { status: 'canceled', status_reason: 'uncollectible' }
const GOING = { status: 'active', status_reason: null, overdue_since: null }

/** A person pays on the processor's page, with a card that pays. */
async function payOnPage({ api, addCard, debt }: GivenUpApi): Promise<void> {
  await addCard('visa')
  const { hosted_url } = await readBilling(api, 'invoices/' + debt.id)
  const answer = await fetch(hosted_url, { method: 'POST' })
  if (!/>paid</.test(await answer.text())) throw new Error('the page took no payment')
}

/** The debt ended: notice and audit row stand once, and the processor charged once. */
async function endedOnce(t: Test, { api, debt, theirs, peer }: GivenUpApi): Promise<void> {
  t.match(await readBilling(api, 'invoices/' + debt.id), { status: 'paid', paid_at: Number })
  const notices = (await readBilling(api, 'notices?limit=100')).data as { [name: string]: string }[]
  const told = notices.filter((row) => row['invoice_id'] === debt.id)
  t.equal(told.filter(({ kind }) => kind === 'payment_succeeded').length, 1)
  const rows = await api.sql`
    select actor_type as actor from audit_log where tenant_id = ${api.tenant.tenantId}
      and action = 'timer late_payment' and resource_id = ${debt.id}`
  t.same(rows, [{ actor: 'system' }])
  t.equal(peer.store.all('charge').filter(({ invoice }) => invoice === theirs()?.id).length, 1)
  const differences = await api.sql`select from billing_exceptions where subject = ${debt.id}`
  t.equal(differences.length, 0, 'no person has to look')
}

const isPaid =
  ({ api, debt }: GivenUpApi) =>
  async (): Promise<boolean> =>
    (await readBilling(api, 'invoices/' + debt.id)).status === 'paid'

test('a late payment ends the debt, and the subscription goes on', async (t) => {
  const story = await beginGivenUp(file, '2027-06-09T13:00:00Z')
  const { api, at } = story
  t.match(await readBilling(api, 'subscription'), UNCOLLECTIBLE)
  t.match(await readBilling(api, 'entitlements'), { issuing: false, authorizations: false })
  await payOnPage(story)
  await story.settled(isPaid(story))
  t.match(await readBilling(api, 'subscription'), GOING)
  t.match(await readBilling(api, 'entitlements'), { issuing: true, authorizations: true })
  await endedOnce(t, story)
  await at('2027-06-11T00:00:00Z')
  t.match(await readBilling(api, 'subscription'), GOING, 'its next month began')
  await endedOnce(t, story)
})

test('a late payment whose callbacks are lost is found in the list of events', async (t) => {
  const story = await beginGivenUp(file, '2027-06-09T13:00:00Z')
  const { api, peer, settle } = story
  peer.faults.order({ kind: 'lose', on: 'invoice', times: 20 })
  await payOnPage(story)
  api.clock.nowMs += 600_000
  await settle()
  await endedOnce(t, story)
  t.match(await readBilling(api, 'subscription'), GOING)
})

test('a late payment that no event tells is found in the night', async (t) => {
  const story = await beginGivenUp(file, '2027-06-09T13:00:00Z')
  const { api, peer, theirs, settle, debt } = story
  const invoice = theirs()
  if (invoice === undefined) throw new Error('no invoice')
  peer.store.put('invoice', { ...invoice, status: 'paid', amount_paid: invoice.total })
  await settle()
  t.match(await readBilling(api, 'invoices/' + debt.id), { status: 'uncollectible' })
  api.clock.nowMs += DAY_MS
  await settle()
  t.match(await readBilling(api, 'invoices/' + debt.id), { status: 'paid' })
})

test('an invoice that is paid before it is marked there becomes paid', async (t) => {
  const lost = { kind: 'cut_before', on: '/mark_uncollectible', times: 1 } as const
  const story = await beginGivenUp(file, '2027-06-09T13:00:00Z', lost)
  const { peer, settle, api, theirs } = story
  t.equal(theirs()?.status, 'open', 'the processor was not reached')
  peer.faults.order({ kind: 'lose', on: 'invoice', times: 20 })
  peer.faults.order({ kind: 'broken', on: 'GET /v1/events', times: 20 })
  await payOnPage(story)
  api.clock.nowMs += 2000
  await settle()
  await endedOnce(t, story)
})

test('a late payment behind the last boundary ends the debt and begins nothing', async (t) => {
  const story = await beginGivenUp(file, '2027-06-11T00:00:00Z')
  const { api } = story
  await payOnPage(story)
  await story.settled(isPaid(story))
  t.match(await readBilling(api, 'subscription'), { ...UNCOLLECTIBLE, overdue_since: null })
  await endedOnce(t, story)
})

test('a late payment of another sum ends no debt, and a person looks', async (t) => {
  const { api, peer, theirs, debt, settle } = await beginGivenUp(file, '2027-06-09T13:00:00Z')
  const invoice = theirs()
  if (invoice === undefined) throw new Error('no invoice')
  peer.store.put('invoice', { ...invoice, status: 'paid', amount_due: invoice.total - 100 })
  // Beyond the night of another test.
  api.clock.nowMs += 2 * DAY_MS
  await settle()
  t.match(await readBilling(api, 'invoices/' + debt.id), { status: 'uncollectible' })
  const kinds = await api.sql`
    select kind from billing_exceptions where subject = ${debt.id}`
  t.same(kinds, [{ kind: 'status_differs' }])
})
