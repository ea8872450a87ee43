// A job: recurring work on the database, as a row of a table. A domain contributes its rows, and
// run-jobs.ts runs each in a loop of its own. Several processes may run one table at once.
import type { Clock, EpochMs } from '../../shared/clock.ts'
import type { Logger } from '../../shared/log.ts'
import type { Sql } from '../database/pool.ts'
import { type TxSql, tx } from '../database/transaction.ts'

/** The ports of every job. A job that needs another is made with it. */
export interface JobPorts {
  sql: Sql
  clock: Clock
  log: Logger
}

/** A run: its ports, its moment and its bounds. */
export interface JobRun extends JobPorts {
  /** Installation time. Tenant time is `clock_offset(tenant_id, environment)` ahead. */
  now: EpochMs
  /** Most rows, or other units of work, of this run. */
  batch: number
  /** Milliseconds for which the run may claim rows. */
  leaseMs: number
  /** Aborts when the process stops or the lease is over. */
  signal: AbortSignal
}

export interface Job {
  /** Snake case; in logs and as a label of the metrics. */
  name: string
  /** Milliseconds between two runs without work. */
  every: number
  /** Milliseconds a run may take: its claims last as long, and then its signal aborts. */
  lease: number
  batch: number
  /**
   * Connections of its own, at most; absent: it shares those of all jobs, and waits for them while
   * others have long transactions.
   */
  connections?: number
  /** Milliseconds from one run to the next while there is work; absent: at once. */
  pace?: number
  /**
   * Does due work, at most `batch` of it, and skips rows that another transaction locked. Returns
   * the amount of work.
   */
  run(run: JobRun): Promise<number>
  /** Lines of the job's own metrics. */
  lines?(): string[]
}

/** A job with connections of its own, which `close` closes. */
export interface OpenJob {
  job: Job
  close(): Promise<void> | void
}

/** Runs a job once. */
export function runOnce(
  { batch, lease, run }: Job,
  ports: JobPorts & { now: EpochMs },
  signal: AbortSignal = NEVER,
): Promise<number> {
  const { sql, clock, log, now } = ports
  return run({ sql, clock, log, now, batch, leaseMs: lease, signal })
}

const NEVER = new AbortController().signal

/**
 * A run that works row by row, each in a transaction of its own: a transaction takes the sequences
 * of one tenant only, and never waits for another tenant's. `doOne` returns whether a row was due.
 */
export function rowByRow(doOne: (sql: TxSql, now: EpochMs) => Promise<boolean>): Job['run'] {
  return async ({ sql, now, batch, signal }) => {
    let done = 0
    while (done < batch && !signal.aborted && (await tx(sql, (inner) => doOne(inner, now))))
      done += 1
    return done
  }
}
