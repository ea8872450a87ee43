// An operator provisions an enterprise plan over a subscription that is paid for already.
import { test } from 'tap'
import type { Answer } from '../../harness/api.ts'
import {
  BILLED,
  catchUp,
  changeBilling,
  closeMonths,
  countUsage,
  eventsAbout,
  moveSandbox,
  provision,
  readBilling,
  subscribedSince,
} from '../../harness/billing.ts'
import { seedTransactions } from '../../harness/drained.ts'
import { startIssuingApi } from '../../harness/issuing.ts'

const amounts = ({ lines }: Answer['body']): unknown[] =>
  lines.map(({ kind, plan, amount_cents }: Answer['body']) => [kind, plan, amount_cents])

test('a paid subscription keeps its periods and pays the difference for the rest', async (t) => {
  const api = await startIssuingApi(BILLED)
  const { id } = await subscribedSince(api, { plan: 'starter', since: '2027-11-01T00:00:00Z' })
  await changeBilling(api, 'POST subscription/cancel')
  const before = await eventsAbout(api, id)
  const at = Date.UTC(2027, 10, 10)
  await seedTransactions(api.sql, api.tenant, { count: 6000, at })
  await moveSandbox(api, '2027-11-16T12:00:00Z')
  const enterprise = await provision(api, { base_cents: 49_900, net_days: 14 })
  t.match(enterprise, {
    ...{ id, status: 'active', plan: { key: 'enterprise', version: 'C-1' } },
    ...{ previous_plan: 'starter', cancel_at_period_end: false, pending_change: null },
    collection: { method: 'send_invoice', net_days: 14 },
    base_period: { from: Date.UTC(2027, 10, 1) / 1000, until: Date.UTC(2027, 11, 1) / 1000 },
  })
  const newest = async (): Promise<Answer['body']> => {
    await closeMonths(api)
    await catchUp(api)
    await countUsage(api)
    await closeMonths(api)
    return (await readBilling(api, 'invoices?limit=1')).data[0]
  }
  const change = await newest()
  const owed = [
    ['credit', 'starter', -2368],
    ['base', 'enterprise', 24_118],
  ]
  t.match(change, { kind: 'change', total_cents: 21_750, status: 'open' })
  t.same(amounts(change), owed)
  t.equal(change.due_at - change.finalized_at, 14 * 86_400)
  const types = (await eventsAbout(api, id)).slice(before.length).map(({ type }) => type)
  t.same(types, ['billing.enterprise_quote_provisioned', 'billing.plan_changed'])
  await provision(api, { base_cents: 49_900 })
  const again = (await eventsAbout(api, id)).slice(before.length + 2).map(({ type }) => type)
  t.same(again, ['billing.enterprise_quote_provisioned'], 'the same tier is no change of plan')
  await moveSandbox(api, '2027-12-01T00:00:00Z')
  const month = await newest()
  // 6,000 of the starter's 5,167 until the change: 833 at 9 cents for ten.
  t.same(amounts(month), [
    ['base', 'enterprise', 49_900],
    ['usage', null, 750],
  ])
})

test('a trial that is to be paid, an ended one and a canceled subscription are provisioned', async (t) => {
  const api = await startIssuingApi(BILLED)
  const { body: trial } = await changeBilling(api, 'POST trial', { plan: 'growth' })
  await moveSandbox(api, (trial.trial.until + 86_400) * 1000)
  t.match(await readBilling(api, 'subscription'), { status: 'restricted' })
  t.match(await provision(api), { id: trial.id, status: 'active', previous_plan: 'growth' })
  await changeBilling(api, 'POST subscription/cancel')
  const { base_period } = await readBilling(api, 'subscription')
  await moveSandbox(api, base_period.until * 1000)
  t.match(await readBilling(api, 'subscription'), { status: 'canceled' })
  const again = await provision(api)
  t.match(again, { status: 'active', plan: { key: 'enterprise' } })
  t.not(again.id, trial.id)
})

test('terms in another currency than the invoices are refused', async (t) => {
  const api = await startIssuingApi(BILLED)
  await provision(api)
  await t.rejects(provision(api, { currency: 'EUR' }), /invalid_state/)
  t.match(await readBilling(api, 'subscription'), { currency: 'USD' })
})
