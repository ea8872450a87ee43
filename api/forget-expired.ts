// Timers that forget what ran out: a part at a time, by the clocks of the tenants whose rows they are, or by the installation's.
import { dueByTenant } from './database/due.ts'
import { tx } from './database/transaction.ts'
import type { Timer } from './timer.ts'

const BATCH = 1000

export interface Expiring {
  /** Of the timer, for the log. */
  name: string
  /** Has `expires_at`, and where tenants' clocks count `tenant_id` and `environment`. */
  table: string
  key: 'id' | 'hash' | 'nonce'
  /** How long a row is kept behind its end. */
  keptMs: number
  /** Whose: a tenant's may be ahead. */
  clock: 'tenant' | 'installation'
}

export function forgetExpired({ name, table, key, keptMs, clock }: Expiring): Timer {
  return {
    name,
    run: ({ sql, now }) =>
      tx(
        sql,
        async (inner) => {
          const past = now - keptMs - 1
          const due =
            clock === 'tenant'
              ? dueByTenant(inner, 'expires_at', past)
              : inner`expires_at <= ${past}::bigint`
          const forgotten = await inner`
            delete from ${inner(table)} where ${inner(key)} = any (array(
              select ${inner(key)} from ${inner(table)}
              where ${due}
              order by expires_at limit ${BATCH} for update skip locked
            ))`
          return forgotten.count
        },
        { safeToRepeat: true },
      ),
  }
}
