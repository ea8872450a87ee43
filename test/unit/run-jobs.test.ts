// Every job runs in a loop of its own: none waits for another, and each shows its lag.
import { type Test, test } from 'tap'
import type { Sql } from '../../api/database/pool.ts'
import type { Job } from '../../api/jobs/job.ts'
import { JobRunner } from '../../api/jobs/run-jobs.ts'
import { assert } from '../../shared/assert.ts'
import { systemClock } from '../../shared/clock.ts'
import type { Logger } from '../../shared/log.ts'
import { until } from '../harness/until.ts'

const BOUNDS = { every: 5, lease: 60_000, batch: 7 }

/** Runs jobs until the end of the test, with a monotonic clock that `pass` moves ahead. */
function start(t: Test, jobs: readonly Job[], watch = { agrees: true }) {
  const said: string[] = []
  const write = (details: { job?: string; loop?: string }, sentence: string): void => {
    said.push((details.job ?? details.loop) + ': ' + sentence)
  }
  const log = { info: write, warn: write, error: write } as unknown as Logger
  let aheadNs = 0
  const clock = { ...systemClock, monotonicNs: () => systemClock.monotonicNs() + aheadNs }
  const runner = new JobRunner(clock)
  const stop = new AbortController()
  const world = { sql: null as unknown as Sql, clock, log, watch }
  const ended = runner.run(jobs, world, stop.signal)
  t.teardown(async () => {
    stop.abort()
    await ended
  })
  const metric = (name: string, job: string): number => {
    const line = runner.lines().find((text) => text.startsWith(name + '{job="' + job + '"} '))
    return Number(line?.split(' ')[1])
  }
  const pass = (seconds: number): void => {
    aheadNs += seconds * 1e9
  }
  return { said, metric, pass, stop, ended, watch }
}

test('a job that hangs delays no other, and its lag grows', async (t) => {
  let runs = 0
  let told = false
  const hangs: Job = {
    ...BOUNDS,
    name: 'hangs',
    lease: 20,
    run: ({ signal }) => {
      signal.addEventListener('abort', () => {
        told = true
      })
      return new Promise<number>(() => {})
    },
  }
  const goesOn: Job = { ...BOUNDS, name: 'goes_on', run: async () => ++runs && 0 }
  const { said, metric, pass } = start(t, [hangs, goesOn])
  await until(() => told)
  const before = runs
  pass(100)
  await until(() => runs > before + 20)
  t.match(said, ['hangs: a run of a job exceeded its lease'])
  t.equal(metric('svc_job_runs_total', 'hangs'), 1, 'a run that hangs is not started again')
  t.equal(metric('svc_job_overdue_total', 'hangs'), 1)
  t.ok(metric('svc_job_lag_seconds', 'hangs') > 99)
  t.ok(metric('svc_job_lag_seconds', 'goes_on') < 99)
})

test('a job that fails, even by its own assertion, is retried, and the others go on', async (t) => {
  let tries = 0
  const fails: Job = {
    ...BOUNDS,
    name: 'fails',
    run: async () => {
      tries += 1
      assert(tries > 2, 'a third try')
      return 0
    },
  }
  const { said, metric } = start(t, [fails])
  await until(() => tries > 3)
  t.equal(metric('svc_job_failures_total', 'fails'), 2)
  t.same(said, ['fails: failed, trying again', 'fails: failed, trying again', 'fails: going on'])
})

test('a run gets the bounds of its row, and one with work is followed at once', async (t) => {
  const bounds: unknown[] = []
  const busy: Job = {
    ...BOUNDS,
    name: 'busy',
    every: 3_600_000,
    run: async ({ batch, leaseMs, now }) => {
      bounds.push([batch, leaseMs, now > 0])
      return bounds.length < 3 ? 7 : 0
    },
  }
  const { metric } = start(t, [busy])
  await until(() => bounds.length === 3)
  t.same(bounds, Array(3).fill([7, 60_000, true]))
  await until(() => metric('svc_job_work_total', 'busy') === 14)
})

test('no job runs while the clock is not trusted, and a stop leaves a hung run behind', async (t) => {
  let runs = 0
  const hangs: Job = {
    ...BOUNDS,
    name: 'hangs',
    run: () => {
      runs += 1
      return new Promise<number>(() => {})
    },
  }
  const { metric, pass, watch, stop, ended } = start(t, [hangs], { agrees: false })
  pass(50)
  await until(() => metric('svc_job_lag_seconds', 'hangs') > 49)
  t.equal(runs, 0)
  watch.agrees = true
  await until(() => runs === 1)
  stop.abort()
  await ended
})
