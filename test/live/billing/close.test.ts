// Months of usage are closed in order, each once, by one formula: owed now, less what is billed.
import { type Test, test } from 'tap'
import type { Answer, TestApi } from '../../harness/api.ts'
import {
  BILLED,
  catchUp,
  changeBilling,
  closeMonths,
  countUsage,
  DAY_MS,
  eventsAbout,
  moveSandbox,
  provision,
  readBilling,
  settleJob,
} from '../../harness/billing.ts'
import { seedTransactions } from '../../harness/drained.ts'
import { startIssuingApi } from '../../harness/issuing.ts'
import { seedOperator } from '../../harness/operator.ts'

const HOUR_MS = 3_600_000

async function invoicesOf(api: TestApi): Promise<Answer['body'][]> {
  return (await readBilling(api, 'invoices?order=asc&limit=100')).data
}

const linesOf = (invoice: Answer['body']): unknown[] =>
  invoice.lines.map((line: Answer['body']) => [line.kind, line.meter, line.amount_cents])

test('a month is closed once its usage is counted, and never twice', async (t) => {
  const api = await startIssuingApi(BILLED)
  await catchUp(api)
  await moveSandbox(api, '2026-12-01T00:00:00Z')
  const { id } = await provision(api)
  const [first] = await invoicesOf(api)
  t.match(first, { kind: 'period', ordinal: 0, status: 'open', total_cents: 4900 })
  t.same(linesOf(first), [['base', null, 4900]])
  const at = Date.parse('2026-12-05T00:00:00Z')
  await seedTransactions(api.sql, api.tenant, { count: 12_345, at })
  await moveSandbox(api, '2027-01-01T00:00:00Z')
  await closeMonths(api)
  t.match((await invoicesOf(api))[1], { ordinal: 1, status: 'draft', total_cents: 4900 })
  await countUsage(api)
  t.equal((await invoicesOf(api))[1].status, 'draft', 'the journal was not seen since')
  await catchUp(api)
  await closeMonths(api)
  const [, second] = await invoicesOf(api)
  t.match(second, { kind: 'period', ordinal: 1, status: 'open', total_cents: 7011 })
  t.same(linesOf(second), [
    ['base', null, 4900],
    ['usage', 'authorizations', 2111],
  ])
  t.equal(second.lines[1].quantity, 12_345)
  t.equal(await closeMonths(api), 0)
  // Late usage of the closed month lands in its own segment.
  await seedTransactions(api.sql, api.tenant, { count: 155, at })
  await countUsage(api)
  const { data } = await readBilling(api, 'usage?month=0')
  t.match(data[0], { quantity: 12_500, late: 155, over: 2500, amount_cents: 2250 })
  await moveSandbox(api, '2027-02-01T00:00:00Z')
  await catchUp(api)
  await closeMonths(api)
  const third = (await invoicesOf(api))[2]
  t.same(linesOf(third), [
    ['base', null, 4900],
    ['late', 'authorizations', 139],
  ])
  t.same((await eventsAbout(api, id)).length, 2, 'a boundary has no event')
})

test('a journal that is away delays a close by 72 hours, then usage is late', async (t) => {
  const api = await startIssuingApi(BILLED)
  await catchUp(api)
  await provision(api)
  const decided = api.clock.nowMs + DAY_MS
  await moveSandbox(api, api.clock.nowMs + 31 * DAY_MS)
  api.clock.nowMs += 1000
  await closeMonths(api)
  api.clock.nowMs += 72 * HOUR_MS - 1
  await countUsage(api)
  await closeMonths(api)
  t.match((await invoicesOf(api))[1], { status: 'draft' })
  api.clock.nowMs += 8 * HOUR_MS
  await closeMonths(api)
  t.match((await invoicesOf(api))[1], { status: 'open', total_cents: 4900 })
  // The journal comes back with what the engine decided in the closed month.
  await seedTransactions(api.sql, api.tenant, { count: 10_100, at: decided })
  await moveSandbox(api, decided + 65 * DAY_MS)
  await closeMonths(api)
  await catchUp(api)
  await countUsage(api)
  await closeMonths(api)
  const next = (await invoicesOf(api)).find(({ ordinal }) => ordinal === 2)
  t.same(linesOf(next), [
    ['base', null, 4900],
    ['late', 'authorizations', 90],
  ])
})

test('a clock moved by a year closes twelve months, in order', async (t) => {
  const api = await startIssuingApi(BILLED)
  await moveSandbox(api, '2027-01-31T10:00:00Z')
  await provision(api)
  await seedTransactions(api.sql, api.tenant, {
    ...{ count: 100, at: Date.parse('2027-02-01T00:00:00Z') },
  })
  // Ids of an earlier moment begin anew, and lists go by id.
  api.clock.nowMs += 1000
  await moveSandbox(api, '2028-01-31T10:00:00Z')
  await closeMonths(api)
  await catchUp(api)
  await countUsage(api)
  await closeMonths(api)
  const invoices = await invoicesOf(api)
  t.same(
    invoices.map(({ kind, ordinal }) => [kind, ordinal]),
    Array.from({ length: 13 }, (_, ordinal) => ['period', ordinal]),
  )
  const froms = invoices.map(({ lines }) => new Date(lines[0].period.from * 1000).toISOString())
  t.match(froms.slice(1, 4), [/^2027-02-28T10/, /^2027-03-31T10/, /^2027-04-30T10/])
  checkEach(t, invoices)
})

function checkEach(t: Test, invoices: Answer['body'][]): void {
  for (const { status, total_cents, lines } of invoices) {
    t.equal(status, 'open')
    const sum = lines.reduce((all: number, line: Answer['body']) => all + line.amount_cents, 0)
    t.equal(sum, total_cents)
  }
}

test('a canceled subscription ends with an invoice of its usage', async (t) => {
  const api = await startIssuingApi(BILLED)
  await moveSandbox(api, '2026-12-01T00:00:00Z')
  const { id } = await provision(api)
  await seedTransactions(api.sql, api.tenant, {
    ...{ count: 11_000, at: Date.parse('2026-12-31T23:59:59Z') },
  })
  await changeBilling(api, 'POST subscription/cancel')
  await moveSandbox(api, '2027-01-01T00:00:00Z')
  t.match(await readBilling(api, 'subscription'), { status: 'canceled', id })
  await closeMonths(api)
  await catchUp(api)
  await countUsage(api)
  await closeMonths(api)
  const [, final] = await invoicesOf(api)
  t.match(final, { kind: 'final', ordinal: 1, status: 'open', total_cents: 900 })
  await moveSandbox(api, '2028-01-01T00:00:00Z')
  t.equal(await closeMonths(api), 0)
  t.equal(await settleJob(api, 'billing_late'), 0, 'nothing is late')
})

test('usage and corrections after the last invoice are billed by the same formula', async (t) => {
  const api = await startIssuingApi(BILLED)
  await moveSandbox(api, '2026-12-01T00:00:00Z')
  await provision(api)
  await changeBilling(api, 'POST subscription/cancel')
  await moveSandbox(api, '2027-01-01T00:00:00Z')
  const close = async (): Promise<void> => {
    api.clock.nowMs += 1000
    await countUsage(api)
    await settleJob(api, 'billing_late')
    await closeMonths(api)
    await catchUp(api)
    await countUsage(api)
    await closeMonths(api)
  }
  const late = async (): Promise<Answer['body'][]> =>
    (await invoicesOf(api)).filter(({ kind }) => kind === 'change')
  await close()
  t.match((await invoicesOf(api))[1], { kind: 'final', total_cents: 0 })
  t.same(await late(), [])
  const at = Date.parse('2026-12-31T23:00:00Z')
  await seedTransactions(api.sql, api.tenant, { count: 12_345, at })
  await close()
  await close()
  t.match(await late(), [{ status: 'open', total_cents: 2111 }], 'once')
  t.match((await late())[0].lines, [{ kind: 'late', quantity: 12_345, amount_cents: 2111 }])
  const operator = await seedOperator(api.sql)
  const path = '/operator/v1/tenants/' + api.tenant.tenantId + '/usage_adjustments'
  const body = { environment: 'sandbox', month: 0, meter: 'authorizations', quantity: 155 }
  await api.call('POST', path, { key: operator, body: { ...body, reason: 'Found later' } })
  await close()
  t.match((await late())[1], { total_cents: 139, lines: [{ kind: 'late', amount_cents: 139 }] })
  // 20 units cost 18 cents: less than is collected, and no later invoice carries it on.
  await seedTransactions(api.sql, api.tenant, { count: 20, at })
  await close()
  t.match((await late())[2], { status: 'paid', total_cents: 0 })
  t.match(await readBilling(api, 'subscription'), { status: 'canceled', credit_cents: 0 })
  await close()
  t.equal((await late()).length, 3)
})

test('a period that cannot be closed keeps no other one waiting', async (t) => {
  const broken = await startIssuingApi(BILLED)
  const other = await startIssuingApi(BILLED)
  await moveSandbox(broken, '2026-12-01T00:00:00Z')
  await moveSandbox(other, '2026-12-02T00:00:00Z')
  const { id } = await provision(broken)
  await provision(other)
  const [held] = await broken.sql<{ terms: string }[]>`
    select terms::text as terms from billing_subscriptions where id = ${id}`
  await broken.sql`update billing_subscriptions set terms = '{}' where id = ${id}`
  t.teardown(
    () => broken.sql`
      update billing_subscriptions set terms = ${held?.terms ?? ''}::text::jsonb where id = ${id}`,
  )
  for (const api of [broken, other]) await moveSandbox(api, '2027-01-03T00:00:00Z')
  await t.rejects(closeMonths(other), 'the job tells of it')
  t.match((await invoicesOf(other))[1], { ordinal: 1, status: 'draft' })
  await catchUp(other)
  await countUsage(other)
  await t.rejects(closeMonths(other))
  t.match((await invoicesOf(other))[1], { ordinal: 1, status: 'open', total_cents: 4900 })
  t.equal((await invoicesOf(broken)).length, 1, 'its boundary is still ahead')
})
