// A connection to PostgreSQL is killed at each step of counting, of a boundary and of a close:
// before the job writes to a table. Each happens once, or again as a whole.
import { test } from 'tap'
import { billingJobs } from '../../../api/billing/jobs.ts'
import type { Answer, TestApi } from '../../harness/api.ts'
import {
  BILLED,
  catchUp,
  countUsage,
  moveSandbox,
  readBilling,
  settleJob,
  subscribedSince,
} from '../../harness/billing.ts'
import { seedTransactions } from '../../harness/drained.ts'
import { startIssuingApi } from '../../harness/issuing.ts'
import { runJob } from '../../harness/jobs.ts'
import { killAt } from '../../harness/kill-at.ts'

const DAY_MS = 86_400_000
const FROM_MS = Date.UTC(2027, 0, 1)
const UNITS = 12_345

/** Runs the job, whose connection is killed at the table, and then until it finds no work. */
async function killJob(api: TestApi, [name, table]: readonly [string, string]): Promise<void> {
  const job = billingJobs.find((one) => one.name === name)
  if (job === undefined) throw new Error('no job ' + name)
  const run = () => runJob(job, { sql: api.sql, now: api.clock.nowMs }).catch(() => null)
  await killAt(api.sql, table, run)
  await settleJob(api, name)
}

const COUNTS = ['billing_usage', 'billing_cursors'] as const
const BOUNDARIES = [
  ...(['billing_subscriptions', 'billing_segments', 'billing_invoices'] as const),
  'billing_invoice_lines',
] as const
const CLOSES = [
  ...(['billing_rated', 'billing_segments', 'billing_invoice_lines', 'billing_invoices'] as const),
] as const

async function usageOf({ sql, tenant }: TestApi): Promise<number> {
  const [row] = await sql<{ quantity: number }[]>`
    select coalesce(sum(quantity), 0)::bigint as quantity
    from billing_usage u join billing_segments s on s.id = u.segment_id
    where s.tenant_id = ${tenant.tenantId} and meter = 'authorizations'`
  return row?.quantity ?? -1
}

test('a count, a boundary and a close that are killed at any step happen once', async (t) => {
  const api = await startIssuingApi(BILLED)
  await subscribedSince(api, { plan: 'starter', since: new Date(FROM_MS).toISOString() })
  const steps = Math.max(COUNTS.length, BOUNDARIES.length, CLOSES.length)
  let begins = FROM_MS
  for (let month = 0; month < steps; month++) {
    const used = begins + DAY_MS
    await moveSandbox(api, used + DAY_MS)
    await seedTransactions(api.sql, api.tenant, { count: UNITS, at: used })
    const count = COUNTS[month]
    if (count === undefined) await countUsage(api)
    else await killJob(api, ['billing_meter', count])
    t.equal(await usageOf(api), UNITS * (month + 1), 'usage is counted once')
    const { current_period } = await readBilling(api, 'subscription')
    begins = current_period.until * 1000
    // The drain saw the journal until a moment before this one.
    api.clock.nowMs += 1000
    await moveSandbox(api, begins + 2000)
    await killJob(api, ['billing_close', BOUNDARIES[month] ?? 'billing_invoices'])
    await catchUp(api)
    await countUsage(api)
    await killJob(api, ['billing_close', CLOSES[month] ?? 'billing_invoices'])
    const { data } = await readBilling(api, 'invoices?limit=100')
    const passed = data.filter(({ kind }: Answer['body']) => kind === 'period')
    t.equal(passed.length, month + 2, 'one invoice of the boundary')
    const [closed] = passed.filter(({ ordinal }: Answer['body']) => ordinal === month + 1)
    t.match(closed, { status: /open|paid/, total_cents: 4900 + 2111 })
    t.equal(closed.lines.length, 2)
  }
})
