// A clock that is wrong by hours: no job of billing runs.
import { test } from 'tap'
import { processorJobs } from '../../../api/billing/collection/index.ts'
import { billingJobs } from '../../../api/billing/jobs.ts'
import { ClockWatch, databaseNow } from '../../../api/database/clock-watch.ts'
import { JobRunner } from '../../../api/jobs/run-jobs.ts'
import { systemClock } from '../../../shared/clock.ts'
import { DAY_MS } from '../../harness/billing.ts'
import { beginBilling } from '../../harness/billing-story.ts'
import { silentLog } from '../../harness/engine-listener.ts'
import { file } from '../../harness/per-file.ts'
import { until } from '../../harness/until.ts'

const HOUR_MS = 3_600_000

test('while our clock is wrong by hours no job of billing runs', async (t) => {
  const story = await beginBilling(file, { card: 'declined' })
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
