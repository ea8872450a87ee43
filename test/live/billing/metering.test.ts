// Usage is counted from the events of each tenant, exactly once, into the segment of their moment.
import { type Test, test } from 'tap'
import { lockCursor } from '../../../api/billing/metering/index.ts'
import { tx } from '../../../api/database/transaction.ts'
import type { TestApi } from '../../harness/api.ts'
import {
  BILLED,
  changeBilling,
  countUsage,
  DAY_MS,
  moveSandbox,
  readBilling,
} from '../../harness/billing.ts'
import { seedTransaction, seedTransactions } from '../../harness/drained.ts'
import { issue, startIssuingApi } from '../../harness/issuing.ts'
import { callApproved } from '../../harness/person.ts'
import { SEEDED_AT_MS } from '../../harness/tenant.ts'

interface Row {
  meter: string
  quantity: number
  late: number
  included: number
  over: number
  amount_cents: number
  days: object[]
}

async function usageOf(api: TestApi, meter: string): Promise<Row> {
  const { data } = await readBilling(api, 'usage')
  return data.findLast((row: Row) => row.meter === meter)
}

async function recount(t: Test, api: TestApi): Promise<void> {
  const differences = await api.sql`
    with told as (
      select s.id, case
          when e.type in ('card.transaction.authorized', 'card.transaction.declined')
            then 'authorizations'
          when e.type = 'card.created' then 'cards_issued'
          when e.type = 'pass.created' then 'passes_issued'
          when e.type = 'card.shipped' then 'physical_cards'
          when e.type = 'cardholder.kyc.completed' then 'identity_checks'
        end as meter
      from events e join billing_segments s using (tenant_id, environment)
      where e.created_at >= s.counts_from and e.created_at < s.counts_until
    ),
    recounted as (
      select id, meter, count(*)::bigint as quantity from told where meter is not null group by 1, 2
    ),
    counted as (
      select segment_id as id, meter, sum(quantity)::bigint as quantity from billing_usage group by 1, 2
    )
    select * from recounted r full join counted c using (id, meter)
    where r.quantity is distinct from c.quantity`
  t.same([...differences], [], 'usage is what a recount finds')
}

test('a trial counts every meter, and a repeated run counts nothing', async (t) => {
  const api = await startIssuingApi(BILLED)
  t.match(await readBilling(api, 'usage'), { subscription_id: null, period: null, data: [] })
  const { body: trial } = await changeBilling(api, 'POST trial', { plan: 'starter' })
  await issue(api, 'virtual')
  await issue(api, 'virtual')
  // The seed is a minute older than the trial: its day is before the subscription.
  await seedTransaction(api.sql, api.tenant, { amountCents: 100 })
  await seedTransaction(api.sql, api.tenant, { amountCents: 100, atMs: 120_000 })
  await seedTransaction(api.sql, api.tenant, { amountCents: 101, atMs: DAY_MS })
  const before = await readBilling(api, 'usage')
  t.ok((await countUsage(api)) >= 5)
  t.equal(await countUsage(api), 0)
  const usage = await readBilling(api, 'usage')
  t.match(usage, { subscription_id: trial.id, month: null, period: trial.trial })
  t.ok(before.as_of < usage.as_of, 'the answer says until when it counted')
  t.equal((await usageOf(api, 'cards_issued')).quantity, 2)
  const day = (SEEDED_AT_MS - (SEEDED_AT_MS % DAY_MS)) / 1000
  t.match(await usageOf(api, 'authorizations'), {
    ...{ quantity: 2, included: 10_000, over: 0, amount_cents: 0 },
    days: [
      { day, quantity: 1, late: 0 },
      { day: day + 86_400, quantity: 1, late: 0 },
    ],
  })
  await recount(t, api)
})

test('every step counts its part of the sequence, whatever runs beside it', async (t) => {
  const api = await startIssuingApi(BILLED)
  await changeBilling(api, 'POST trial', { plan: 'growth' })
  await seedTransactions(api.sql, api.tenant, { count: 2500, at: api.clock.nowMs })
  await Promise.all([countUsage(api), countUsage(api), countUsage(api)])
  await countUsage(api)
  t.equal((await usageOf(api, 'authorizations')).quantity, 2500)
  await recount(t, api)
})

test('a count that is rolled back leaves no trace', async (t) => {
  const api = await startIssuingApi(BILLED)
  const { body: trial } = await changeBilling(api, 'POST trial', { plan: 'growth' })
  await issue(api, 'virtual')
  await api.sql`alter table billing_usage add constraint full_disk check (quantity < 0) not valid`
  t.teardown(() => api.sql`alter table billing_usage drop constraint if exists full_disk`)
  await t.rejects(countUsage(api))
  const [cursor] = await api.sql<{ seq: number }[]>`
    select coalesce(max(seq), 0) as seq from billing_cursors where tenant_id = ${api.tenant.tenantId}`
  t.equal((await usageOf(api, 'cards_issued')).quantity, 0)
  t.equal(cursor?.seq, 0)
  await api.sql`alter table billing_usage drop constraint full_disk`
  await countUsage(api)
  t.equal((await usageOf(api, 'cards_issued')).quantity, 1)
  t.ok(trial.id)
})

test('a wipe ends the billing of a sandbox and counts nothing of before', async (t) => {
  const api = await startIssuingApi(BILLED)
  const { tenantId, keys } = api.tenant
  await changeBilling(api, 'POST trial', { plan: 'growth' })
  await issue(api, 'virtual')
  await countUsage(api)
  await issue(api, 'virtual')
  const wiped = await callApproved(api, 'POST', '/v1/sandbox/wipe', { key: keys.admin, body: {} })
  t.equal(wiped.status, 200, wiped.text)
  t.match(wiped.body.deleted, { billing_subscriptions: 1, billing_segments: 1 })
  const [at] = await api.sql`
    select c.seq = s.event_seq as ended from billing_cursors c
    join tenant_sequences s using (tenant_id, environment)
    where tenant_id = ${tenantId} and environment = 'sandbox'`
  t.same(at, { ended: true })
  t.match(await readBilling(api, 'subscription'), { status: 'none' })
  await changeBilling(api, 'POST trial', { plan: 'growth' })
  await countUsage(api)
  t.equal((await usageOf(api, 'cards_issued')).quantity, 0)
})

test('counting waits for a change of terms that is under way', async (t) => {
  const api = await startIssuingApi(BILLED)
  await changeBilling(api, 'POST trial', { plan: 'growth' })
  await issue(api, 'virtual')
  await tx(api.sql, async (sql) => {
    await lockCursor(sql, { tenantId: api.tenant.tenantId, environment: 'sandbox' })
    await countUsage(api)
    t.equal((await usageOf(api, 'cards_issued')).quantity, 0)
  })
  await countUsage(api)
  t.equal((await usageOf(api, 'cards_issued')).quantity, 1)
})

test('usage after a trial belongs to no segment', async (t) => {
  const api = await startIssuingApi(BILLED)
  await changeBilling(api, 'POST trial', { plan: 'growth' })
  await moveSandbox(api, api.clock.nowMs + 31 * DAY_MS)
  await seedTransaction(api.sql, api.tenant, { amountCents: 100, atMs: 31 * DAY_MS })
  await countUsage(api)
  t.equal((await usageOf(api, 'authorizations')).quantity, 0)
  t.match(await readBilling(api, 'usage?month=0'), { error: { code: 'resource_missing' } })
})
