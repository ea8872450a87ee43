// Callbacks and clocks that come at a bad moment: before our own commit, and with a clock that is
// wrong by hours.
import { t as suite, test } from 'tap'
import { processorJobs } from '../../../api/billing/collection/index.ts'
import { billingJobs } from '../../../api/billing/jobs.ts'
import { ClockWatch } from '../../../api/database/clock-watch.ts'
import { databaseNow } from '../../../api/database/now.ts'
import { tx } from '../../../api/database/transaction.ts'
import { JobRunner } from '../../../api/jobs/run-jobs.ts'
import { systemClock } from '../../../shared/clock.ts'
import { DAY_MS } from '../../harness/billing.ts'
import { beginBilling } from '../../harness/billing-story.ts'
import { silentLog } from '../../harness/engine-listener.ts'
import { runJob } from '../../harness/jobs.ts'
import { until } from '../../harness/until.ts'

const HOUR_MS = 3_600_000

test('a callback that is fetched while our own outcome is not committed changes it once', async (t) => {
  const story = await beginBilling(suite, { card: 'visa' })
  const { api, peer, processors, settle, invoice, notices, charges } = story
  const { sql } = api
  peer.faults.order({ kind: 'decline', decline_code: 'insufficient_funds' })
  await settle()
  t.match(await invoice(), { status: 'open', attempts: 1 })
  // Callbacks of before are heard: none of them waits for the lock below.
  await until(() => peer.store.callbacks().length === 0)
  await settle()
  api.clock.nowMs += DAY_MS
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

test('while our clock is wrong by hours no job of billing runs', async (t) => {
  const story = await beginBilling(suite, { card: 'declined' })
  const { api, peer, processors, settle, invoice } = story
  const { sql } = api
  // The second attempt is due in two hours by the right clock.
  api.clock.nowMs = systemClock.nowMs() + 2 * HOUR_MS - DAY_MS
  await settle()
  t.match(await invoice(), { attempts: 1 })
  const clock = { ...systemClock, nowMs: () => systemClock.nowMs() + 5 * HOUR_MS }
  const jobs = [...billingJobs, ...processorJobs(processors)]
  /** Runs every job until the watch was asked so often, or until the condition holds. */
  const run = async (watch: { agrees: boolean }, condition: () => Promise<boolean>) => {
    const stop = new AbortController()
    const ended = new JobRunner(clock).run(jobs, { sql, clock, log: silentLog, watch }, stop.signal)
    await until(condition)
    stop.abort()
    await ended
  }
  const watch = new ClockWatch({ clock, log: silentLog })
  await watch.compare(() => databaseNow(sql))
  let asked = 0
  const counting = {
    get agrees() {
      asked += 1
      return watch.agrees
    },
  }
  const calls = peer.calls.length
  await run(counting, async () => asked > 2 * jobs.length)
  t.match(await invoice(), { attempts: 1 })
  t.equal(peer.calls.length, calls, 'the processor hears nothing')
  await run({ agrees: true }, async () => (await invoice()).attempts === 2)
  t.match(await invoice(), { attempts: 2 }, 'a trusted clock would have made the attempt')
})
