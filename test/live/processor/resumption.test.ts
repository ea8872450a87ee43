// A tenant that pays in the middle of a suspension, and the header that tells it before.
import { test } from 'tap'
import {
  changeBilling,
  DAY_MS,
  moveSandbox,
  provision,
  readBilling,
} from '../../harness/billing.ts'
import { beginSubscribed, override } from '../../harness/billing-months.ts'
import { file } from '../../harness/per-file.ts'

const BASE_CENTS = 4900

const begin = (since: string) => beginSubscribed(file, since)

test('paid in the middle of a suspension, the base price begins there', async (t) => {
  const { api, at, addCard, settle, invoices } = await begin('2027-03-10T12:00:00Z')
  await at('2027-04-10T12:00:01Z')
  t.match(await readBilling(api, 'subscription'), { status: 'past_due' })
  await at('2027-05-09T13:00:00Z')
  t.match(await readBilling(api, 'subscription'), { status: 'suspended' })
  await at('2027-05-10T12:00:01Z')
  const [waived] = await invoices()
  t.match(waived, { kind: 'period', ordinal: 2, total_cents: 0, status: 'paid', lines: [] })
  // 10.5 of 31 days of the month are over.
  await moveSandbox(api, '2027-05-21T00:00:00Z')
  await addCard('visa')
  await settle()
  t.match(await readBilling(api, 'subscription'), { status: 'active', overdue_since: null })
  const [rest] = await invoices()
  const from = Date.parse('2027-05-21T00:00:00Z') / 1000
  const until = Date.parse('2027-06-10T12:00:00Z') / 1000
  const owed = BASE_CENTS - Math.floor((2 * BASE_CENTS * 10.5 + 31) / 62)
  t.match(rest, {
    ...{ kind: 'change', status: 'paid', total_cents: owed },
    lines: [{ kind: 'base', plan: 'starter', period: { until }, amount_cents: owed }],
  })
  t.ok(Math.abs(rest.lines[0].period.from - from) < 60, 'from the payment on')
  await at('2027-06-10T12:00:01Z')
  const resumed = (await invoices()).filter(({ kind }) => kind === 'change')
  t.equal(resumed.length, 1, 'it resumes once')
  t.match((await invoices())[0], { ordinal: 3, total_cents: BASE_CENTS, status: 'paid' })
})

const secondsOf = (moment: string): number => Date.parse(moment) / 1000

/** Base price of the rest of the month from May 10, after so many days of 31. */
const restAfter = (days: number): number =>
  BASE_CENTS - Math.floor((2 * BASE_CENTS * days + 31) / 62)

test('an override that ends resumes the base price at its end, and the card is charged', async (t) => {
  const { api, at, addCard, invoices, peer } = await begin('2027-03-10T12:00:00Z')
  await addCard('visa')
  await at('2027-05-01T00:00:00Z')
  await override(api, '2027-05-21T00:00:00Z')
  await at('2027-05-10T12:00:01Z')
  t.match((await invoices())[0], { kind: 'period', ordinal: 2, total_cents: 0, lines: [] })
  await at('2027-05-20T23:59:00Z')
  t.equal((await invoices()).filter(({ kind }) => kind === 'change').length, 0)
  await at('2027-05-21T00:00:30Z')
  const [rest] = await invoices()
  const owed = restAfter(10.5)
  const period = {
    from: secondsOf('2027-05-21T00:00:00Z'),
    until: secondsOf('2027-06-10T12:00:00Z'),
  }
  t.match(rest, { kind: 'change', status: 'paid', total_cents: owed })
  t.match(rest.lines, [{ kind: 'base', plan: 'starter', period, amount_cents: owed }])
  const theirs = peer.store
    .all('invoice')
    .find(({ metadata }) => metadata['svc_invoice'] === rest.id)
  t.match(theirs, { status: 'paid', total: owed }, 'the processor charged it')
  await at('2027-06-10T12:00:01Z')
  t.equal((await invoices()).filter(({ kind }) => kind === 'change').length, 1, 'it resumes once')
})

test('a clock that jumps over the end of an override owes the same', async (t) => {
  const { api, at, addCard, invoices } = await begin('2027-03-10T12:00:00Z')
  await addCard('visa')
  await at('2027-05-01T00:00:00Z')
  await override(api, '2027-05-21T00:00:00Z')
  await at('2027-08-01T00:00:00Z')
  const made = (await invoices()).reverse().slice(2)
  t.same(
    made.map(({ kind, total_cents }) => [kind, total_cents]),
    [
      ['period', 0],
      ['change', restAfter(10.5)],
      ['period', BASE_CENTS],
      ['period', BASE_CENTS],
    ],
  )
})

test('an override that is lifted resumes the base price, and one set later changes no past', async (t) => {
  const { api, at, addCard, invoices } = await begin('2027-03-10T12:00:00Z')
  await addCard('visa')
  await at('2027-05-01T00:00:00Z')
  await override(api, '2027-06-30T00:00:00Z')
  await at('2027-05-10T12:00:01Z')
  await moveSandbox(api, '2027-05-26T00:00:00Z')
  await override(api, null)
  const [rest] = await invoices()
  t.match(rest, { kind: 'change', total_cents: restAfter(15.5) })
  await moveSandbox(api, '2027-06-10T12:00:01Z')
  await override(api, '2027-06-20T00:00:00Z')
  await at('2027-06-10T12:00:05Z')
  t.match((await invoices())[0], { kind: 'period', ordinal: 3, total_cents: BASE_CENTS })
})

test('an override that ends in a suspension for debts resumes nothing later', async (t) => {
  const { api, at, addCard, settle, settled, invoices } = await begin('2027-03-10T12:00:00Z')
  await at('2027-04-10T12:00:01Z')
  await moveSandbox(api, '2027-04-20T00:00:00Z')
  // A second debt, due on April 21.
  await provision(api, { base_cents: BASE_CENTS * 2, net_days: 1 })
  await settle()
  await override(api, '2027-05-12T00:00:00Z')
  await at('2027-05-10T12:00:01Z')
  t.match((await invoices())[0], { kind: 'period', ordinal: 2, total_cents: 0, lines: [] })
  await at('2027-05-12T00:00:30Z')
  t.match(await readBilling(api, 'subscription'), { status_reason: 'payment_overdue' })
  const [row] = await api.sql`
    select override_state, override_expires_at from billing_subscriptions
    where tenant_id = ${api.tenant.tenantId}`
  t.same(row, { override_state: null, override_expires_at: null }, 'no job finds it again')
  const resumed = async () =>
    (await invoices()).filter(({ kind }) => kind === 'change').slice(0, -1)
  await moveSandbox(api, '2027-05-16T00:00:00Z')
  await addCard('visa')
  await settle()
  await at('2027-05-16T00:01:00Z')
  t.match(await readBilling(api, 'subscription'), { status: 'restricted' }, 'one debt is paid')
  t.same(await resumed(), [], 'days of the suspension are not charged')
  await moveSandbox(api, '2027-05-21T00:00:00Z')
  const debt = (await invoices()).find(({ status }) => status === 'open')
  await fetch(debt.hosted_url, { method: 'POST' })
  await settled(async () => (await readBilling(api, 'subscription')).status === 'active')
  const owed = BASE_CENTS * 2 - Math.floor((2 * BASE_CENTS * 2 * 10.5 + 31) / 62)
  t.match(await resumed(), [{ total_cents: owed }], 'it resumes with the last payment')
})

test('another interval in a waived year resumes with its month', async (t) => {
  const { api, at, addCard, invoices } = await begin('2027-03-10T12:00:00Z')
  await addCard('visa')
  const yearly = { interval: 'year', effective: 'period_end' }
  t.equal((await changeBilling(api, 'PATCH subscription', yearly)).status, 200)
  await moveSandbox(api, '2027-04-01T00:00:00Z')
  await override(api, '2027-06-01T00:00:00Z')
  await at('2027-04-10T12:00:01Z')
  t.match((await invoices())[0], { kind: 'period', ordinal: 1, total_cents: 0, lines: [] })
  await at('2027-05-20T00:00:00Z')
  const monthly = { interval: 'month', effective: 'now' }
  t.equal((await changeBilling(api, 'PATCH subscription', monthly)).status, 200)
  await at('2027-06-01T00:00:30Z')
  const [rest] = await invoices()
  const owed = restAfter(21.5)
  const period = {
    from: secondsOf('2027-06-01T00:00:00Z'),
    until: secondsOf('2027-06-10T12:00:00Z'),
  }
  t.match(rest, { kind: 'change', status: 'paid', total_cents: owed })
  t.match(rest.lines, [{ kind: 'base', period, amount_cents: owed }])
  await at('2027-06-10T12:00:01Z')
  t.match((await invoices())[0], { kind: 'period', ordinal: 3, total_cents: BASE_CENTS })
})

test('a plan provisioned after debts that nobody paid begins a subscription of its own', async (t) => {
  const { api, at, addCard, invoices } = await begin('2027-03-10T12:00:00Z')
  const { id } = await readBilling(api, 'subscription')
  await at('2027-04-10T12:00:01Z')
  await at('2027-06-10T12:00:01Z')
  await at('2027-06-11T00:00:00Z')
  const ended = { status: 'canceled', status_reason: 'uncollectible' }
  t.match(await readBilling(api, 'subscription'), ended)
  await override(api, '2027-07-20T00:00:00Z', 'active')
  t.match(await readBilling(api, 'subscription'), { id, status: 'active' })
  await addCard('visa')
  const made = await provision(api, { base_cents: 9900 })
  t.match(made, { status: 'active', status_reason: null, dunning_override: null })
  t.not(made.id, id)
  await at('2027-07-11T00:00:01Z')
  const amounts = (await invoices()).slice(0, 2).map(({ kind, lines }) => [kind, lines[0]])
  t.match(amounts, [
    ['period', { kind: 'base', amount_cents: 9900 }],
    ['period', { kind: 'base', amount_cents: 9900 }],
  ])
})

test('answers to a tenant that has not paid say its status', async (t) => {
  const { api, at, addCard, settle } = await begin('2027-03-10T12:00:00Z')
  const told = async (): Promise<string | null> => {
    const { headers } = await api.call('GET', '/v1/cards', { key: api.tenant.keys.read })
    return headers.get('svc-billing-status')
  }
  t.equal(await told(), null)
  await at('2027-04-10T12:00:01Z')
  t.equal(await told(), 'past_due')
  const since = Date.parse('2027-04-10T12:00:01Z')
  await at(since + 14 * DAY_MS + 60_000)
  t.equal(await told(), 'restricted')
  await at(since + 28 * DAY_MS + 60_000)
  t.equal(await told(), 'suspended')
  await addCard('visa')
  await settle()
  t.equal(await told(), null)
})
