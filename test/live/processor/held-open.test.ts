// An override holds a subscription open whose last boundary is behind: its usage and its base price
// are billed from then on, by the formula of every other month.
import { test } from 'tap'
import type { Answer } from '../../harness/api.ts'
import { changeBilling, readBilling } from '../../harness/billing.ts'
import { beginGivenUp, beginSubscribed, override } from '../../harness/billing-months.ts'
import { seedTransactions } from '../../harness/drained.ts'
import { file } from '../../harness/per-file.ts'

type Invoices = () => Promise<Answer['body'][]>

async function invoiceOf(invoices: Invoices, kind: string, at: number): Promise<Answer['body']> {
  return (await invoices()).find((one) => one.kind === kind && one.ordinal === at)
}

const UNCOLLECTIBLE = { status: 'canceled', status_reason: 'uncollectible' }

test('usage and base price under an override are billed until its end', async (t) => {
  const { api, at, invoices } = await beginGivenUp(file, '2027-06-11T00:00:00Z')
  t.ok(await invoiceOf(invoices, 'final', 3))
  const { length } = await invoices()
  await at('2027-06-20T00:00:00Z')
  await seedTransactions(api.sql, api.tenant, { count: 7, at: Date.parse('2027-06-19T00:00:00Z') })
  await override(api, '2027-07-20T00:00:00Z', 'active')
  const used = Date.parse('2027-06-21T00:00:00Z')
  await seedTransactions(api.sql, api.tenant, { count: 12_345, at: used })
  await at('2027-06-22T00:00:00Z')
  // 9.5 of 30 days are behind: 4,900 less 1,552, and 10,000 less 3,167 units are included.
  const rest = await invoiceOf(invoices, 'period', 3)
  t.match(rest, { total_cents: 3348 })
  t.match(rest.lines, [{ kind: 'base', amount_cents: 3348 }])
  await at('2027-07-10T12:00:01Z')
  const next = await invoiceOf(invoices, 'period', 4)
  t.match(next, { total_cents: 4900 + 4961 })
  t.match(next.lines, [
    { kind: 'base', amount_cents: 4900 },
    { kind: 'usage', meter: 'authorizations', quantity: 12_345, amount_cents: 4961 },
  ])
  await at('2027-07-20T00:00:01Z')
  t.match(await readBilling(api, 'subscription'), UNCOLLECTIBLE, 'the override ended')
  await at('2027-08-10T12:00:01Z')
  await at('2027-12-10T12:00:01Z')
  t.match(await invoiceOf(invoices, 'final', 5), { total_cents: 0 })
  t.equal((await invoices()).length, length + 3, 'no boundary follows')
  t.match(await readBilling(api, 'subscription'), UNCOLLECTIBLE)
})

test('a suspension by an override bills usage alone, and the base price once it is lifted', async (t) => {
  const { api, at, invoices } = await beginGivenUp(file, '2027-06-20T00:00:00Z')
  await override(api, '2027-09-01T00:00:00Z', 'suspended')
  const used = Date.parse('2027-06-21T00:00:00Z')
  await seedTransactions(api.sql, api.tenant, { count: 12_345, at: used })
  await at('2027-06-25T12:00:00Z')
  t.match(await invoiceOf(invoices, 'period', 3), { total_cents: 0, lines: [] })
  await override(api, '2027-09-01T00:00:00Z', 'active')
  // Half of the month is left.
  t.match(await invoiceOf(invoices, 'change', 0), { total_cents: 2450 })
  await at('2027-07-10T12:00:01Z')
  const next = await invoiceOf(invoices, 'period', 4)
  t.match(next, { total_cents: 4900 + 4961 })
})

test('a year that was charged is not charged again', async (t) => {
  const { api, at, invoices } = await beginSubscribed(file, '2027-03-10T12:00:00Z')
  const yearly = { interval: 'year', effective: 'now' }
  t.equal((await changeBilling(api, 'PATCH subscription', yearly)).status, 200)
  await at('2027-03-10T12:30:00Z')
  await at('2027-05-09T13:00:00Z')
  await at('2027-05-10T12:00:01Z')
  t.ok(await invoiceOf(invoices, 'final', 2))
  const { length } = await invoices()
  await at('2027-07-20T00:00:00Z')
  await override(api, '2027-09-30T00:00:00Z', 'active')
  await at('2027-07-21T00:00:00Z')
  t.equal((await invoices()).length, length, 'its base price is an older invoice’s')
  const used = Date.parse('2027-07-22T00:00:00Z')
  await seedTransactions(api.sql, api.tenant, { count: 12_345, at: used })
  await at('2027-08-10T12:00:01Z')
  const next = await invoiceOf(invoices, 'period', 5)
  t.match(next.lines, [{ kind: 'usage', quantity: 12_345 }])
  t.equal(next.lines.length, 1)
})

test('a subscription that an override holds open is canceled by its tenant, or replaced', async (t) => {
  const { api, at, addCard, invoices } = await beginGivenUp(file, '2027-06-20T00:00:00Z')
  await override(api, '2027-09-01T00:00:00Z', 'active')
  const canceled = await changeBilling(api, 'POST subscription/cancel')
  t.match(canceled, { status: 200, body: { cancel_at_period_end: true } })
  const used = Date.parse('2027-06-21T00:00:00Z')
  await seedTransactions(api.sql, api.tenant, { count: 12_345, at: used })
  await at('2027-06-22T00:00:00Z')
  await addCard('visa')
  const asked = { plan: 'starter', interval: 'month', currency: 'USD' }
  const made = await changeBilling(api, 'POST subscription', asked)
  t.match(made, { status: 201, body: { status: 'active', dunning_override: null } })
  await at('2027-06-23T00:00:00Z')
  const final = await invoiceOf(invoices, 'final', 4)
  t.match(final.lines, [{ kind: 'usage', quantity: 12_345 }], 'usage of before is billed')
})

test('a subscription that ended and owes nothing has no override', async (t) => {
  const { api, at, addCard, debt, invoices, settled } = await beginGivenUp(
    file,
    '2027-06-11T00:00:00Z',
  )
  await addCard('visa')
  const { hosted_url } = await readBilling(api, 'invoices/' + debt.id)
  await fetch(hosted_url, { method: 'POST' })
  await settled(async () => (await readBilling(api, 'subscription')).overdue_since === null)
  const { length } = await invoices()
  await t.rejects(override(api, '2027-07-20T00:00:00Z', 'active'), /owes nothing/)
  t.match(await readBilling(api, 'subscription'), UNCOLLECTIBLE)
  await at('2027-07-11T00:00:00Z')
  t.equal((await invoices()).length, length)
})
