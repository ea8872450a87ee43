// Deletes the sealed identities of erased cardholders when the law no longer asks for them.
import { dueByTenant } from '../../database/due.ts'
import { tx } from '../../database/transaction.ts'
import type { Job } from '../../jobs/job.ts'

/** `retentionMs` counts from the erasure, by the tenant's clock. */
export function purgeErasedIdentities(retentionMs: number): Job {
  return {
    name: 'purge_erased_identities',
    every: 60_000,
    lease: 60_000,
    batch: 1000,
    run: ({ sql, now, batch }) =>
      tx(
        sql,
        async (inner) => {
          const purged = await inner`
            delete from cardholder_erasures where id = any (array(
              select id from cardholder_erasures
              where ${dueByTenant(inner, 'erased_at', now - retentionMs)}
              order by erased_at limit ${batch} for update skip locked
            ))`
          return purged.count
        },
        { safeToRepeat: true },
      ),
  }
}
