// Edges of an invoice: totals that the processor would not collect, usage in a yearly plan, and a
// newer catalogue, each from the call to what the processor charged.
import { type Test, test } from 'tap'
import { CATALOGUE_2026_11_01 } from '../../../api/billing/catalogue/2026-11-01.ts'
import { CATALOGUES } from '../../../api/billing/catalogue/index.ts'
import type { Answer } from '../../harness/api.ts'
import { startBilledApi } from '../../harness/billed.ts'
import {
  catchUp,
  changeBilling,
  closeMonths,
  countUsage,
  moveSandbox,
  readBilling,
  settleJob,
} from '../../harness/billing.ts'
import { seedTransactions } from '../../harness/drained.ts'
import { file } from '../../harness/per-file.ts'
import { seedTenant } from '../../harness/tenant.ts'

/** A subscription that a card pays, with its month closed and collected at each move. */
async function begin(plan: string, interval: string, since: string) {
  const billed = await startBilledApi(file)
  const { api, peer, settle } = billed
  await moveSandbox(api, since)
  const sent = { key: api.tenant.keys.admin, body: { card: 'visa' } }
  await api.call('POST', '/v1/simulate/payment_methods', sent)
  const asked = { plan, interval, currency: 'USD' }
  const begun = await changeBilling(api, 'POST subscription', asked)
  if (begun.status !== 201) throw new Error(begun.text)
  await settle()
  const at = async (moment: string): Promise<void> => {
    await moveSandbox(api, moment)
    await closeMonths(api)
    await catchUp(api)
    await countUsage(api)
    await closeMonths(api)
    await settle()
  }
  const invoices = async (): Promise<Answer['body'][]> =>
    (await readBilling(api, 'invoices?limit=100')).data.sort(
      (one: Answer['body'], other: Answer['body']) =>
        one.finalized_at - other.finalized_at || one.ordinal - other.ordinal,
    )
  const charged = (invoiceId: string): number[] => {
    const made = peer.store
      .all('invoice')
      .filter(({ metadata }) => metadata['svc_invoice'] === invoiceId)
    const charges = peer.store.all('charge')
    return made.flatMap(({ id }) =>
      charges.filter(({ invoice }) => invoice === id).map(({ amount }) => amount),
    )
  }
  return { ...billed, at, invoices, charged }
}

const amounts = ({ lines }: Answer['body']): unknown[] =>
  lines.map(({ kind, amount_cents }: Answer['body']) => [kind, amount_cents])

test('a total under 50 is carried on, and the processor never hears of it', async (t) => {
  const { api, at, invoices, charged, peer } = await begin(
    'starter',
    'month',
    '2027-11-01T00:00:00Z',
  )
  // The last two minutes of a month: a share of 45,000 cents that is under the minimum.
  await at('2027-11-30T23:58:00Z')
  await changeBilling(api, 'PATCH subscription', { plan: 'growth', effective: 'now' })
  const [, small] = await invoices()
  t.match(small, { kind: 'change', status: 'paid', total_cents: 0, attempts: 0 })
  t.same(amounts(small), [
    ['base', 2],
    ['credit', -2],
  ])
  t.match(await readBilling(api, 'subscription'), { credit_cents: -2 }, 'it is owed')
  await at('2027-12-01T00:00:00Z')
  const [, , month] = await invoices()
  t.match(month, { status: 'paid', total_cents: 49_902 })
  t.same(amounts(month), [
    ['base', 49_900],
    ['credit', 2],
  ])
  t.same(charged(small.id), [])
  t.same(charged(month.id), [49_902])
  const theirs = peer.store.all('invoice').map(({ metadata }) => metadata['svc_invoice'])
  t.notOk(theirs.includes(small.id))
})

test('a small total of the last invoice is waived', async (t) => {
  const { api, at, invoices } = await begin('starter', 'month', '2027-11-01T00:00:00Z')
  const moment = Date.UTC(2027, 10, 10)
  await seedTransactions(api.sql, api.tenant, { count: 10_050, at: moment })
  await changeBilling(api, 'POST subscription/cancel')
  await at('2027-12-01T00:00:00Z')
  const [, final] = await invoices()
  t.match(final, { kind: 'final', status: 'paid', total_cents: 0 })
  t.same(amounts(final), [
    ['usage', 45],
    ['credit', -45],
  ])
  t.match(await readBilling(api, 'subscription'), { status: 'canceled', credit_cents: 0 })
})

test('a yearly plan bills its usage each month, and its base price once a year', async (t) => {
  const { api, at, invoices, charged } = await begin('starter', 'year', '2027-02-28T00:00:00Z')
  const [year] = await invoices()
  t.same([amounts(year), charged(year.id)], [[['base', 49_000]], [49_000]])
  const moment = Date.UTC(2027, 2, 10)
  await seedTransactions(api.sql, api.tenant, { count: 12_345, at: moment })
  await at('2027-03-28T00:00:00Z')
  const [, first] = await invoices()
  t.same([amounts(first), charged(first.id)], [[['usage', 2111]], [2111]])
  // The allowance of the next month is a whole one again.
  await seedTransactions(api.sql, api.tenant, { count: 9000, at: Date.UTC(2027, 3, 10) })
  await at('2027-04-28T00:00:00Z')
  const [, , second] = await invoices()
  t.same(amounts(second), [])
  t.match(second, { status: 'paid', total_cents: 0 })
  const { current_period, base_period } = await readBilling(api, 'subscription')
  t.equal(current_period.from, Date.UTC(2027, 3, 28) / 1000)
  t.equal(base_period.until, Date.UTC(2028, 1, 28) / 1000)
  await at('2028-02-28T00:00:00Z')
  const all = await invoices()
  t.equal(all.length, 13)
  t.same([amounts(all[12]), charged(all[12].id)], [[['base', 49_000]], [49_000]])
})

test('years from a leap day end in February, and begin on the next leap day again', async (t) => {
  const { api, at, invoices } = await begin('starter', 'year', '2028-02-29T00:00:00Z')
  const base = async (): Promise<string[]> => {
    const { from, until } = (await readBilling(api, 'subscription')).base_period
    return [from, until].map((second) => new Date(second * 1000).toISOString().slice(0, 10))
  }
  t.same(await base(), ['2028-02-29', '2029-02-28'])
  await at('2028-03-28T23:59:59Z')
  t.equal((await invoices()).length, 1, 'a month from the 29th ends on the 29th')
  await at('2028-03-29T00:00:00Z')
  t.equal((await invoices()).length, 2)
  await at('2029-02-27T23:59:59Z')
  t.equal((await invoices()).length, 12)
  await at('2029-02-28T00:00:00Z')
  t.same(await base(), ['2029-02-28', '2030-02-28'])
  t.same(amounts((await invoices())[12]), [['base', 49_000]])
  await at('2032-02-28T23:59:59Z')
  t.same(await base(), ['2031-02-28', '2032-02-29'])
  await at('2032-02-29T00:00:00Z')
  t.same(await base(), ['2032-02-29', '2033-02-28'])
  t.equal((await invoices()).length, 49)
})

/** A later dated file, as a release would add it: starter costs 59.00. */
function addCatalogue(t: Test): void {
  const dearer = { ...CATALOGUE_2026_11_01.starter, version: '2027-11-01' }
  const starter = { ...dearer, baseCents: { month: 5900, year: 59_000 } }
  const plans = { ...CATALOGUE_2026_11_01, starter }
  CATALOGUES.push({ from: Date.UTC(2027, 10, 1), plans })
  t.teardown(() => void CATALOGUES.pop())
}

test('a newer catalogue reaches a subscription at its boundary after 30 days', async (t) => {
  const { api, at, invoices, charged } = await begin('starter', 'month', '2027-10-15T00:00:00Z')
  addCatalogue(t)
  const told = async (): Promise<unknown[]> => {
    await settleJob(api, 'billing_new_prices')
    const { data } = await readBilling(api, 'notices')
    return data.map(({ kind }: Answer['body']) => kind)
  }
  await at('2027-10-31T23:59:00Z')
  t.same(await told(), [])
  await at('2027-11-01T00:00:00Z')
  t.same(await told(), ['new_prices'], 'at the date of the catalogue')
  await at('2027-11-15T00:00:00Z')
  const next = 'invoice_preview?plan=starter&interval=year&effective=period_end'
  t.match(await readBilling(api, next), { net_cents: 59_000 }, 'the boundary of December')
  await at('2027-12-15T00:00:00Z')
  t.same(await told(), ['new_prices'], 'once')
  const [, november, december] = await invoices()
  t.same(amounts(november), [['base', 4900]], 'the notice of 30 days is not over')
  t.same(amounts(december), [['base', 5900]])
  t.same(
    [november, december].map(({ id }) => charged(id)),
    [[4900], [5900]],
  )
  t.match(await readBilling(api, 'subscription'), { plan: { version: '2027-11-01' } })
  t.match((await readBilling(api, 'plans')).data[0], { month_cents: 5900 })
})

test('a subscription that cannot be told of newer prices keeps no other one waiting', async (t) => {
  const { api, at } = await begin('starter', 'month', '2027-10-15T00:00:00Z')
  const { sql } = api
  await at('2027-11-01T00:00:00Z')
  const { tenantId } = await seedTenant(sql, 'sandbox')
  const change = JSON.stringify({ id: 'sub_0', tenant_id: tenantId })
  await sql`
    insert into sandbox_clocks select made.* from sandbox_clocks held,
      jsonb_populate_record(held, ${change}::text::jsonb - 'id') made
    where held.tenant_id = ${api.tenant.tenantId}`
  await sql`
    insert into billing_subscriptions select made.* from billing_subscriptions held,
      jsonb_populate_record(held, ${change}::text::jsonb) made
    where held.tenant_id = ${api.tenant.tenantId}`
  await sql`
    alter table billing_notices add constraint untellable check (subscription_id <> 'sub_0')`
  t.teardown(async () => {
    await sql`alter table billing_notices drop constraint untellable`
    await sql`delete from billing_subscriptions where id = 'sub_0'`
  })
  addCatalogue(t)
  await t.rejects(settleJob(api, 'billing_new_prices'), /untellable/)
  const { data } = await readBilling(api, 'notices')
  t.same(
    data.map(({ kind }: Answer['body']) => kind),
    ['new_prices'],
  )
})

test('a clock that jumps over a newer catalogue tells of it with the boundary', async (t) => {
  const { api, at } = await begin('starter', 'month', '2027-10-15T00:00:00Z')
  addCatalogue(t)
  await at('2028-02-15T00:00:00Z')
  const { data } = await readBilling(api, 'notices')
  const kinds = data.map(({ kind }: Answer['body']) => kind)
  t.same(kinds, ['new_prices'])
  t.equal(await settleJob(api, 'billing_new_prices'), 0)
})

test('a subscription that has a newer catalogue keeps it at the next boundary', async (t) => {
  const { api, at, invoices } = await begin('growth', 'month', '2027-10-05T00:00:00Z')
  addCatalogue(t)
  await at('2027-11-05T00:00:00Z')
  // The boundary of December is less than 30 days after the change and the date of the catalogue.
  await at('2027-11-20T00:00:00Z')
  const change = { plan: 'starter', effective: 'now' }
  t.equal((await changeBilling(api, 'PATCH subscription', change)).status, 200)
  t.match(await readBilling(api, 'subscription'), { plan: { version: '2027-11-01' } })
  await at('2027-11-29T00:00:00Z')
  const yearly = 'invoice_preview?interval=year&effective=period_end'
  t.match(await readBilling(api, yearly), { net_cents: 59_000 })
  await at('2027-12-05T00:00:00Z')
  const december = (await invoices()).at(-1)
  t.same(amounts(december)[0], ['base', 5900])
})
