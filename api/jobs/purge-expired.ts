// Jobs that delete expired rows: in small parts, by the clocks of the tenants who own the rows,
// or by the installation's.
import { dueByTenant } from '../database/due.ts'
import { tx } from '../database/transaction.ts'
import type { Job } from './job.ts'

const EVERY_MS = 10_000
const LEASE_MS = 60_000
const BATCH = 1000

export interface Expiring {
  /** Name of the job. */
  name: string
  /** Table with `expires_at`, and for tenants' clocks also `tenant_id` and `environment`. */
  table: string
  key: 'id' | 'hash' | 'nonce'
  /** Milliseconds a row is kept after its expiry. */
  keptMs: number
  /** Clock that counts: a tenant's may be ahead. */
  clock: 'tenant' | 'installation'
}

export function purgeExpired({ name, table, key, keptMs, clock }: Expiring): Job {
  return {
    name,
    every: EVERY_MS,
    lease: LEASE_MS,
    batch: BATCH,
    run: ({ sql, now, batch }) =>
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
              order by expires_at limit ${batch} for update skip locked
            ))`
          return forgotten.count
        },
        { safeToRepeat: true },
      ),
  }
}
