// Runs every job of a table in a loop of its own, so that no job waits for another. A failed run
// backs off. A run beyond its lease is told to end and reported; the job starts again only when
// that run has ended, so that a run that hangs never takes a second connection.
import { AssertionFailure } from '../../shared/assert.ts'
import { sleep } from '../../shared/clock.ts'
import { familyLines } from '../../shared/metric-text.ts'
import { type Job, type JobPorts, runOnce } from './job.ts'
import { createSignal } from './signal.ts'
import { repeat } from './worker-loop.ts'

/** Jobs begin one after another, so that their queries do not share one moment. */
const STAGGER_MS = 50
const BACKOFF_MS_MAX = 10_000
/** Pause while the clock is not trusted. */
const DOUBT_MS = 1000
/** A run that has not ended this long after the stop is left behind. */
const STOP_MS_MAX = 2000
const NS_PER_S = 1e9
const MS_PER_S = 1000

export interface JobsWorld extends JobPorts {
  /** True while the clock is trustworthy; otherwise the jobs wait. */
  watch: { readonly agrees: boolean }
}

interface JobState {
  readonly job: Job
  /** Ends the present run; null between runs. */
  end: (() => void) | null
  runs: number
  failures: number
  work: number
  overdue: number
  /** End of the last run without an error; at first the begin of the loop. */
  endedNs: number
}

export class JobRunner {
  readonly #states = new Map<string, JobState>()
  readonly #monotonicNs: () => number

  constructor(clock: { monotonicNs(): number }) {
    this.#monotonicNs = () => clock.monotonicNs()
  }

  /** Runs the table until the signal; resolves when every run has ended, or was left behind. */
  async run(jobs: readonly Job[], world: JobsWorld, signal: AbortSignal): Promise<void> {
    const loops = jobs.map(async (job, at) => {
      const state = newState(job, this.#monotonicNs())
      this.#states.set(job.name, state)
      await sleep(at * STAGGER_MS, signal)
      await this.#loop(state, world, signal)
    })
    const ended = new AbortController()
    await Promise.race([Promise.all(loops), leftBehind(signal, ended.signal)])
    ended.abort()
    for (const { name } of jobs) this.#states.delete(name)
  }

  /** Metrics of the jobs that run. */
  lines(): string[] {
    const states = [...this.#states.values()]
    const now = this.#monotonicNs()
    const family = (
      [name, type, help]: readonly [string, 'gauge' | 'counter', string],
      value: (state: JobState) => number,
    ): string[] =>
      familyLines(
        { name, type, help },
        states.map((state) => name + '{job="' + state.job.name + '"} ' + value(state)),
      )
    const lag = ({ job, endedNs }: JobState): number =>
      Math.max(0, (now - endedNs) / NS_PER_S - job.every / MS_PER_S)
    return [
      ...family(['svc_job_lag_seconds', 'gauge', 'How late a job is to end a run.'], lag),
      ...family(['svc_job_runs_total', 'counter', 'Runs of a job.'], ({ runs }) => runs),
      ...family(
        ['svc_job_failures_total', 'counter', 'Runs that failed.'],
        ({ failures }) => failures,
      ),
      ...family(
        ['svc_job_overdue_total', 'counter', 'Runs beyond their lease.'],
        ({ overdue }) => overdue,
      ),
      ...family(['svc_job_work_total', 'counter', 'Rows that a job handled.'], ({ work }) => work),
      ...states.flatMap(({ job }) => job.lines?.() ?? []),
    ]
  }

  async #loop(state: JobState, world: JobsWorld, signal: AbortSignal): Promise<void> {
    const wake = createSignal(world.clock)
    const stop = (): void => {
      wake.raise()
      state.end?.()
    }
    signal.addEventListener('abort', stop, { once: true })
    await repeat({
      name: state.job.name,
      log: world.log,
      wake,
      backoffMsMax: BACKOFF_MS_MAX,
      running: () => !signal.aborted,
      step: () => this.#step(state, world, signal),
    })
  }

  /** Returns the milliseconds until the next run. */
  async #step(state: JobState, world: JobsWorld, signal: AbortSignal): Promise<number> {
    const { job } = state
    if (!world.watch.agrees) return Math.min(job.every, DOUBT_MS)
    const begunNs = this.#monotonicNs()
    state.runs += 1
    try {
      const work = await this.#within(state, world)
      state.work += work
      state.endedNs = this.#monotonicNs()
      if (work === 0) return job.every
      return Math.max(0, (job.pace ?? 0) - ((state.endedNs - begunNs) / NS_PER_S) * MS_PER_S)
    } catch (error) {
      if (signal.aborted) return 0
      state.failures += 1
      // A broken assertion stops its job only: the other jobs, and deliveries, go on.
      throw error instanceof AssertionFailure ? new Error(error.message, { cause: error }) : error
    }
  }

  async #within(state: JobState, world: JobsWorld): Promise<number> {
    const { job } = state
    const { sql, clock, log } = world
    const over = new AbortController()
    const lease = clock.after(job.lease, () => {
      state.overdue += 1
      log.error({ job: job.name, lease_ms: job.lease }, 'a run of a job exceeded its lease')
      over.abort()
    })
    state.end = () => {
      lease.cancel()
      over.abort()
    }
    try {
      return await runOnce(job, { sql, clock, log, now: clock.nowMs() }, over.signal)
    } finally {
      state.end = null
      lease.cancel()
    }
  }
}

/** Resolves some time after the signal, or when all has `ended`. */
async function leftBehind(signal: AbortSignal, ended: AbortSignal): Promise<void> {
  if (!signal.aborted)
    await new Promise<void>((resolve) =>
      signal.addEventListener('abort', () => resolve(), { once: true }),
    )
  await sleep(STOP_MS_MAX, ended)
}

function newState(job: Job, endedNs: number): JobState {
  return { job, end: null, runs: 0, failures: 0, work: 0, overdue: 0, endedNs }
}
