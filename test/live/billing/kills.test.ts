// A process that counts and closes is killed again and again. The usage equals a recount of the
// events, each boundary has one invoice, and no event of billing comes twice.
import { test } from 'tap'
import {
  BILLED,
  catchUp,
  closeMonths,
  countUsage,
  moveSandbox,
  provision,
  readBilling,
} from '../../harness/billing.ts'
import { killWhen } from '../../harness/billing-child.ts'
import { seedTransactions } from '../../harness/drained.ts'
import { startIssuingApi } from '../../harness/issuing.ts'

const EVENTS = 6000
const JOBS = { jobs: ['billing_meter', 'billing_close'], batch: 20 }

test('counting and closing survive kills at any step', async (t) => {
  const api = await startIssuingApi(BILLED)
  const { sql } = api
  const { tenantId } = api.tenant
  await catchUp(api)
  await moveSandbox(api, '2026-12-01T00:00:00Z')
  const { id: subscription } = await provision(api)
  for (const day of ['2026-12-05', '2027-01-05', '2027-02-05']) {
    const at = Date.parse(day + 'T00:00:00Z')
    await seedTransactions(sql, api.tenant, { count: EVENTS / 3, at })
  }
  await moveSandbox(api, '2027-03-01T00:00:01Z')
  await catchUp(api)
  const counted = async (): Promise<number> => {
    const [row] = await sql<{ seq: number }[]>`
      select seq from billing_cursors where tenant_id = ${tenantId} and environment = 'sandbox'`
    return row?.seq ?? 0
  }
  const boundaries = async (): Promise<number> => {
    const [row] = await sql<{ count: number }[]>`
      select count(*) from billing_invoices
      where subscription_id = ${subscription} and kind = 'period'`
    return row?.count ?? 0
  }
  let kills = 0
  for (const share of [0.02, 0.2, 0.4, 0.6, 0.8]) {
    const isKilled = await killWhen(api, JOBS, async () => (await counted()) > EVENTS * share)
    if (isKilled) kills += 1
  }
  t.ok(kills > 0, kills + ' kills while it counted')
  for (let round = 0; round < 4; round++) {
    await catchUp(api)
    await closeMonths(api)
    await countUsage(api)
  }
  t.equal(await boundaries(), 4, 'one invoice of each boundary')
  const [recount] = await sql<{ count: number }[]>`
    select count(*) from events where tenant_id = ${tenantId} and environment = 'sandbox'
      and type in ('card.transaction.authorized', 'card.transaction.declined')`
  const [usage] = await sql<{ quantity: number }[]>`
    select sum(quantity)::bigint as quantity from billing_usage u
      join billing_segments s on s.id = u.segment_id
    where s.tenant_id = ${tenantId} and meter = 'authorizations'`
  t.equal(recount?.count, EVENTS)
  t.equal(usage?.quantity, EVENTS, 'usage equals the recount')
  const { data } = await readBilling(api, 'invoices?limit=100')
  t.same(
    data
      .map(({ status }: { status: string }) => status)
      .filter((status: string) => status === 'draft'),
    [],
    'every month is closed',
  )
  const events = await sql<{ type: string; count: number }[]>`
    select type, count(*) from events
    where tenant_id = ${tenantId} and type like 'billing.%' group by type having count(*) > 1`
  t.same([...events], [], 'each event once')
})
