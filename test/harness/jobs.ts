// Jobs as the dispatcher runs them: once at a moment, or in their loops.
import type { Sql } from '../../api/database/pool.ts'
import { type Job, type JobPorts, type OpenJob, runOnce } from '../../api/jobs/job.ts'
import { JobRunner } from '../../api/jobs/run-jobs.ts'
import { systemClock } from '../../shared/clock.ts'
import { silentLog } from './engine-listener.ts'
import type { Teardown } from './postgres.ts'

/** Runs a job once; returns the amount of work. `now` is installation time in milliseconds. */
export function runJob(
  job: Job,
  ports: { sql: Sql; now: number } & Partial<JobPorts>,
): Promise<number> {
  return runOnce(job, { clock: systemClock, log: silentLog, ...ports })
}

/** Runs a job in its loop until the end of the test. */
export function startJob(t: Teardown, { job, close }: OpenJob, sql: Sql): void {
  const stopped = new AbortController()
  const world = { sql, clock: systemClock, log: silentLog, watch: { agrees: true } }
  const ended = new JobRunner(systemClock).run([job], world, stopped.signal)
  t.teardown(async () => {
    stopped.abort()
    await close()
    await ended
  })
}
