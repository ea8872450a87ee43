// The count of usage beside a measured side, on a connection of its own, as in the dispatcher.
import { meterJob } from '../../api/billing/metering/index.ts'
import { openPool } from '../../api/database/pool.ts'
import { runOnce } from '../../api/jobs/job.ts'
import { sleep, systemClock } from '../../shared/clock.ts'
import { createLog } from '../../shared/log.ts'

const LOG = createLog({ name: 'bench', level: 'silent' })

export interface CountBeside {
  /** Counts what is there; returns the number of events that were passed so far. */
  count(): Promise<number>
  /** Counts again and again while the work runs. */
  during<Value>(work: () => Promise<Value>): Promise<Value>
  close(): Promise<void>
}

export function openCount(databaseUrl: string): CountBeside {
  const sql = openPool(databaseUrl, { max: 1, applicationName: 'bench-count' })
  let passed = 0
  const count = async (): Promise<number> => {
    const now = systemClock.nowMs()
    passed += await runOnce(meterJob, { sql, now, clock: systemClock, log: LOG })
    return passed
  }
  return {
    count,
    async during(work) {
      let isOver = false
      const loop = (async () => {
        while (!isOver) {
          await count()
          await sleep(meterJob.every)
        }
      })()
      const value = await work().finally(() => {
        isOver = true
      })
      await loop
      return value
    },
    close: () => sql.end({ timeout: 1 }),
  }
}
