// Timers that forget what ran out: a part at a time, by the clocks of the tenants whose rows they are.
import { dueByTenant } from './database/due.ts'
import { tx } from './database/transaction.ts'
import type { Timer } from './timer.ts'

const BATCH = 1000

export interface Expiring {
  /** Of the timer, for the log. */
  name: string
  /** Has `expires_at`, `tenant_id` and `environment`. */
  table: string
  key: 'id' | 'hash'
  /** How long a row is kept behind its end. */
  keptMs: number
}

export function forgetExpired({ name, table, key, keptMs }: Expiring): Timer {
  return {
    name,
    run: ({ sql, now }) =>
      tx(
        sql,
        async (inner) => {
          const forgotten = await inner`
            delete from ${inner(table)} where ${inner(key)} in (
              select ${inner(key)} from ${inner(table)}
              where ${dueByTenant(inner, 'expires_at', now - keptMs - 1)}
              order by expires_at limit ${BATCH} for update skip locked
            )`
          return forgotten.count
        },
        { safeToRepeat: true },
      ),
  }
}
