// Deletes old network messages about unknown cards: they belong to no tenant.
import { tx } from '../../database/transaction.ts'
import type { Job } from '../../jobs/job.ts'

/** `retentionMs` counts from the receipt, by the installation's clock. */
export function purgeUnmatched(retentionMs: number): Job {
  return {
    name: 'purge_unmatched_messages',
    every: 60_000,
    lease: 60_000,
    batch: 1000,
    run: ({ sql, now, batch }) =>
      tx(
        sql,
        async (inner) => {
          const purged = await inner`
            delete from unmatched_messages where (network, message_id) in (
              select network, message_id from unmatched_messages
              where created_at <= ${now - retentionMs}
              order by created_at limit ${batch} for update skip locked
            )`
          return purged.count
        },
        { safeToRepeat: true },
      ),
  }
}
