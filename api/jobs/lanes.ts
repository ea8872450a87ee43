// Works through due rows in lanes, each row in transactions of its own. A row that fails keeps no
// other row waiting: without that, the oldest row that cannot be worked on would stop all others.
import type { Owner } from '../context.ts'
import { databaseUnavailable } from '../database/unavailable.ts'
import type { JobRun } from './job.ts'

/** Chosen: work ends after so many failures that say PostgreSQL is away. */
const OUTAGES_MAX = 5

interface Lanes<Row> {
  /** How many rows are worked on at once. */
  count: number
  /** The log's sentence about a row that failed. */
  failed: string
  /** Returns true where the row had work. */
  work(row: Row): Promise<boolean>
}

export interface WorkedThrough {
  /** Rows with work. */
  done: number
  failures: readonly unknown[]
}

export async function inLanes<Row extends Owner>(
  rows: readonly Row[],
  { log, signal }: Pick<JobRun, 'log' | 'signal'>,
  { count, failed, work }: Lanes<Row>,
): Promise<WorkedThrough> {
  let done = 0
  const failures: unknown[] = []
  let outages = 0
  const left = rows.values()
  const lane = async (): Promise<void> => {
    for (const row of left) {
      if (signal.aborted || outages >= OUTAGES_MAX) return
      try {
        const worked = await work(row)
        done += Number(worked)
      } catch (error) {
        failures.push(error)
        outages += Number(databaseUnavailable(error))
        const { tenantId: tenant_id, environment } = row
        log.error({ tenant_id, environment, err: error }, failed)
      }
    }
  }
  await Promise.all(Array.from({ length: count }, lane))
  return { done, failures }
}

/** The rows with work; throws the first failure, so that the runner backs off and counts it. */
export function doneOf(...worked: readonly WorkedThrough[]): number {
  const [failure] = worked.flatMap(({ failures }) => failures)
  if (failure !== undefined) throw failure
  return worked.reduce((sum, { done }) => sum + done, 0)
}
