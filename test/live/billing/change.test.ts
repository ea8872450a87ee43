// Changes of plan by real calls on a moved sandbox clock: every worked example, with its preview.
import { test } from 'tap'
import type { Answer, TestApi } from '../../harness/api.ts'
import {
  BILLED,
  catchUp,
  changeBilling,
  closeMonths,
  countUsage,
  eventsAbout,
  moveSandbox,
  readBilling,
  subscribedSince,
} from '../../harness/billing.ts'
import { seedTransactions } from '../../harness/drained.ts'
import { startIssuingApi } from '../../harness/issuing.ts'
import { BUSY } from '../../harness/person.ts'

const change = (api: TestApi, body: object): Promise<Answer> =>
  changeBilling(api, 'PATCH subscription', body)
const error = (code: string): object => ({ body: { error: { code } } })

async function changesOf(api: TestApi): Promise<Answer['body'][]> {
  const { data } = await readBilling(api, 'invoices?order=asc&limit=100')
  return data.filter(({ kind }: Answer['body']) => kind === 'change').slice(1)
}

interface Example {
  since: string
  at: string
  from?: 'starter' | 'growth'
  interval?: 'month' | 'year'
  credit: number
  debit: number
}

/** The moment of the fifth row is in the second period of its anchor. */
const EXAMPLES: readonly Example[] = [
  { since: '2027-11-01T00:00:00Z', at: '2027-11-16T12:00:00Z', credit: -2368, debit: 24_118 },
  { since: '2027-11-01T00:00:00Z', at: '2027-11-16T12:00:00Z', from: 'growth', credit: -24_118, debit: 2368 },
  { since: '2027-02-01T00:00:00Z', at: '2027-02-11T00:00:00Z', credit: -3150, debit: 32_079 },
  { since: '2028-02-01T00:00:00Z', at: '2028-02-11T00:00:00Z', credit: -3210, debit: 32_693 },
  { since: '2027-01-31T00:00:00Z', at: '2027-02-14T06:00:00Z', credit: -2406, debit: 24_504 },
  { since: '2027-11-01T00:00:00Z', at: '2027-11-01T00:00:00.001Z', credit: -4900, debit: 49_900 },
  { since: '2027-11-01T00:00:00Z', at: '2027-11-30T23:59:59.999Z', credit: 0, debit: 0 },
  { since: '2027-03-01T00:00:00Z', at: '2027-06-09T00:00:00Z', interval: 'year', credit: -35_612, debit: 362_661 },
] // biome-ignore format: a table reads better in rows.

test('a change costs what the worked examples say', async (t) => {
  for (const { since, at, from = 'starter', interval = 'month', credit, debit } of EXAMPLES) {
    const api = await startIssuingApi(BILLED)
    const { id } = await subscribedSince(api, { plan: from, interval, since })
    await moveSandbox(api, at)
    const wanted = { plan: from === 'starter' ? 'growth' : 'starter', effective: 'now' }
    const { body: changed } = await change(api, wanted)
    t.match(changed, { id, plan: { key: wanted.plan }, previous_plan: from })
    const [invoice] = await changesOf(api)
    const amounts = invoice.lines.map((line: Answer['body']) => line.amount_cents)
    const net = credit + debit
    const own = [credit, debit].filter((cents) => cents !== 0)
    // A negative net becomes credit, behind the lines that made it.
    t.same(amounts, net < 0 ? [...own, -net] : own, since + ' ' + at)
    t.match(invoice, { total_cents: Math.max(0, net), status: net > 0 ? 'open' : 'paid' })
    t.equal((await readBilling(api, 'subscription')).credit_cents, Math.max(0, -net))
  }
})

test('a preview stores nothing, and its moment keeps the price for an hour', async (t) => {
  const api = await startIssuingApi(BILLED)
  await subscribedSince(api, { plan: 'starter', since: '2027-11-01T00:00:00Z' })
  await moveSandbox(api, '2027-11-16T12:00:00Z')
  const preview = await readBilling(api, 'invoice_preview?plan=growth')
  t.match(preview, {
    ...{ object: 'invoice_preview', effective: 'now', prorate_at: 1_826_366_400 },
    ...{ net_cents: 21_750, total_cents: 21_750, credit_cents: 0, currency: 'USD' },
    lines: [
      { kind: 'credit', plan: 'starter', amount_cents: -2368 },
      { kind: 'base', plan: 'growth', amount_cents: 24_118 },
    ],
  })
  t.same(await changesOf(api), [])
  await moveSandbox(api, '2027-11-16T13:00:00Z')
  const at = preview.prorate_at
  const refused = async (prorate_at: number): Promise<void> => {
    t.match(await change(api, { plan: 'growth', prorate_at }), error('parameter_invalid'))
  }
  await refused(at - 1)
  await refused(at + 3601)
  await change(api, { plan: 'growth', prorate_at: at })
  const [invoice] = await changesOf(api)
  t.equal(invoice.total_cents, 21_750)
  t.same(invoice.lines, preview.lines)
  await refused(at - 60)
  t.match(await readBilling(api, 'invoice_preview?plan=starter'), {
    ...{ effective: 'period_end', effective_at: Date.UTC(2027, 11, 1) / 1000, prorate_at: null },
    lines: [{ kind: 'base', plan: 'starter', amount_cents: 4900 }],
  })
})

test('a downgrade waits for the end of the period, and can be taken back', async (t) => {
  const api = await startIssuingApi(BILLED)
  const { id } = await subscribedSince(api, { plan: 'growth', since: '2027-11-01T00:00:00Z' })
  const before = (await eventsAbout(api, id)).length
  const { body: waiting } = await change(api, { plan: 'starter' })
  const pending = { plan: 'starter', interval: 'month', at: Date.UTC(2027, 11, 1) / 1000 }
  t.match(waiting, { plan: { key: 'growth' }, pending_change: pending })
  t.match((await change(api, { plan: 'growth' })).body, { pending_change: null })
  await change(api, { plan: 'starter' })
  t.match((await changeBilling(api, 'POST subscription/revert')).body, { pending_change: null })
  await change(api, { plan: 'starter' })
  t.equal((await eventsAbout(api, id)).length, before, 'a scheduled change has no event')
  await moveSandbox(api, '2027-12-01T00:00:00Z')
  await closeMonths(api)
  t.match(await readBilling(api, 'subscription'), {
    ...{ plan: { key: 'starter' }, previous_plan: 'growth', pending_change: null },
  })
  const events = await eventsAbout(api, id)
  t.same(
    events.slice(before).map(({ type }) => type),
    ['billing.plan_changed'],
  )
  const { data } = await readBilling(api, 'invoices?limit=1')
  t.match(data[0], { ordinal: 1, lines: [{ kind: 'base', plan: 'starter', amount_cents: 4900 }] })
})

test('usage is priced by the terms of its moment, and allowances are cut', async (t) => {
  const api = await startIssuingApi(BILLED)
  await subscribedSince(api, { plan: 'starter', since: '2027-11-01T00:00:00Z' })
  await moveSandbox(api, '2027-11-16T12:00:00Z')
  await seedTransactions(api.sql, api.tenant, { count: 100, at: Date.UTC(2027, 10, 10) })
  await change(api, { plan: 'growth' })
  await seedTransactions(api.sql, api.tenant, { count: 30, at: Date.UTC(2027, 10, 9) })
  await seedTransactions(api.sql, api.tenant, { count: 7, at: Date.UTC(2027, 10, 20) })
  await countUsage(api)
  const { data } = await readBilling(api, 'usage')
  const rows = data.filter(({ meter }: Answer['body']) => meter === 'authorizations').slice(-2)
  t.match(rows, [
    { plan: 'starter', quantity: 130, included: 5167 },
    { plan: 'growth', quantity: 7, included: 120_833 },
  ])
})

test('four plans in one month cost the sum of their parts', async (t) => {
  const api = await startIssuingApi(BILLED)
  await subscribedSince(api, { plan: 'starter', since: '2027-11-01T00:00:00Z' })
  for (const [day, plan] of [
    [11, 'growth'],
    [21, 'starter'],
    [26, 'growth'],
  ] as const) {
    await moveSandbox(api, '2027-11-' + day + 'T00:00:00Z')
    t.equal((await change(api, { plan, effective: 'now' })).status, 200)
  }
  const invoices = await changesOf(api)
  const base = invoices.flatMap(({ lines }) => lines).filter(({ plan }) => plan !== null)
  const changed = base.reduce((sum: number, line: Answer['body']) => sum + line.amount_cents, 0)
  t.equal(4900 + changed, 27_400)
  const { credit_cents } = await readBilling(api, 'subscription')
  const charged = invoices.reduce((sum, invoice) => sum + invoice.total_cents, 0)
  t.equal(4900 + charged - credit_cents, 27_400)
})

test('a hundred equal changes at once are one', async (t) => {
  const api = await startIssuingApi(BILLED)
  const { id } = await subscribedSince(api, { plan: 'starter', since: '2027-11-01T00:00:00Z' })
  await moveSandbox(api, '2027-11-16T12:00:00Z')
  const before = (await eventsAbout(api, id)).length
  const all = await Promise.all(Array.from({ length: 100 }, () => change(api, { plan: 'growth' })))
  const refusals = all.filter(({ status }) => status !== 200).map(({ body }) => body.error.code)
  t.same(
    refusals.filter((code) => !BUSY.includes(code)),
    [],
  )
  t.ok(all.filter(({ status }) => status === 200).length > 1)
  t.equal((await changesOf(api)).length, 1)
  t.equal((await eventsAbout(api, id)).length, before + 1)
  const [count] = await api.sql`
    select count(*) from billing_segments where subscription_id = ${id} and terms->>'plan' = 'growth'`
  t.same(count, { count: 1 })
})

test('a change, a boundary and a cancellation in one millisecond add up', async (t) => {
  const api = await startIssuingApi(BILLED)
  await subscribedSince(api, { plan: 'starter', since: '2027-11-01T00:00:00Z' })
  await moveSandbox(api, '2027-12-01T00:00:00Z')
  const { body: changed } = await change(api, { plan: 'growth' })
  t.match(changed, {
    plan: { key: 'growth' },
    current_period: { from: Date.UTC(2027, 11, 1) / 1000 },
  })
  const { body: canceled } = await changeBilling(api, 'POST subscription/cancel')
  t.match(canceled, { cancel_at_period_end: true })
  const [invoice] = await changesOf(api)
  t.equal(invoice.total_cents, 45_000, 'the whole new period, less the whole old one')
  await catchUp(api)
  await closeMonths(api)
  await countUsage(api)
  await closeMonths(api)
  await moveSandbox(api, '2028-01-01T00:00:00Z')
  await closeMonths(api)
  const { data } = await readBilling(api, 'invoices?order=asc')
  t.same(data.map(({ kind, total_cents }: Answer['body']) => [kind, total_cents]).slice(2), [
    ['period', 4900],
    ['change', 45_000],
    ['final', 0],
  ])
})

test('refusals of changes name their cause', async (t) => {
  const api = await startIssuingApi(BILLED)
  t.match(await change(api, { plan: 'growth' }), error('invalid_state'))
  await changeBilling(api, 'POST trial', { plan: 'starter' })
  t.match(await change(api, { plan: 'enterprise' }), error('feature_not_enabled'))
  t.match(await change(api, { plan: 'gold' }), error('parameter_invalid'))
  t.match(await change(api, { plan: 'growth', coupon: 'X' }), error('parameter_unknown'))
  t.match(await change(api, { plan: 'growth', prorate_at: 1.5 }), error('parameter_invalid'))
  const { body } = await change(api, { plan: 'growth' })
  t.match(body, { status: 'trialing', plan: { key: 'growth' }, previous_plan: 'starter' })
  t.same(await readBilling(api, 'invoices').then(({ data }) => data), [], 'a trial is free')
  await api.sql`
    update billing_subscriptions set overdue_since = ${api.clock.nowMs}, active_from = ${api.clock.nowMs},
      rolls_at = ${api.clock.nowMs + 1000},
      terms = jsonb_set(terms, '{plan}', '"starter"')
    where tenant_id = ${api.tenant.tenantId}`
  t.match(await change(api, { plan: 'growth' }), error('invoice_overdue'))
  t.match(await readBilling(api, 'invoice_preview?plan=growth'), {
    error: { code: 'invoice_overdue' },
  })
})
