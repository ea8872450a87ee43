// A callback that comes before our own commit.
import { test } from 'tap'
import { processorJobs } from '../../../api/billing/collection/index.ts'
import { tx } from '../../../api/database/transaction.ts'
import { beginBilling } from '../../harness/billing-story.ts'
import { runJob } from '../../harness/jobs.ts'
import { file } from '../../harness/per-file.ts'
import { until } from '../../harness/until.ts'

const HOUR_MS = 3_600_000

test('a callback that is fetched while our own outcome is not committed changes it once', async (t) => {
  const story = await beginBilling(file, { card: 'visa' })
  const { api, peer, processors, settle, invoice, notices, charges } = story
  const { sql } = api
  peer.faults.order({ kind: 'decline', decline_code: 'insufficient_funds' })
  await settle()
  t.match(await invoice(), { status: 'open', attempts: 1 })
  // The night rings every customer within hours: none of its bells waits for the lock below.
  api.clock.nowMs += 5 * HOUR_MS
  await settle()
  api.clock.nowMs += 19 * HOUR_MS
  const jobNamed = (name: string) => {
    const job = processorJobs(processors).find((one) => one.name === name)
    if (job === undefined) throw new Error('no job ' + name)
    return () => runJob(job, { sql, now: api.clock.nowMs })
  }
  const [collect, fetchBells] = [jobNamed('billing_collect'), jobNamed('billing_bells')]
  const rung = async (): Promise<boolean> => {
    const rows = await sql`
      select from billing_processor_events where type = 'invoice.paid' and seen_at >= ${api.clock.nowMs}`
    return rows.length > 0
  }
  let collecting: Promise<unknown> = Promise.resolve()
  // The outcome of the payment waits for this lock.
  await tx(sql, async (inner) => {
    await inner`select from tenants where id = ${api.tenant.tenantId} for update`
    collecting = collect()
    await until(rung)
    await fetchBells()
    t.equal(charges(), 1, 'it is paid there')
    t.match(await invoice(), { status: 'open' }, 'and not committed here')
  })
  await collecting
  t.match(await invoice(), { status: 'paid', attempts: 1 })
  api.clock.nowMs += 10_000
  await settle()
  t.match(await invoice(), { status: 'paid', attempts: 1 })
  t.match(await story.subscription(), { status: 'active', overdue_since: null })
  t.same(await notices(), ['payment_succeeded', 'payment_failed'])
  t.equal(charges(), 1)
})
