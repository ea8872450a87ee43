// The statement about buckets: the function of 0013 does the counting, under the lock of the
// bucket's row.
import type { SqlTag } from '../../database/pool.ts'
import type { Lease, LeaseRequest } from './leased-bucket.ts'

/** `process` names the holder of the lease. `nowMs` replaces the database's own time. */
export async function lease(
  sql: SqlTag,
  process: string,
  request: LeaseRequest,
  nowMs: number | null = null,
): Promise<Lease> {
  const { tenantId, environment, bucket, kept, wanted, limit, leaseMs } = request
  const [row] = await sql<Lease[]>`
    select granted, level from lease_tokens(${tenantId}, ${environment}, ${bucket}, ${process},
      ${kept}, ${wanted}, ${limit}, ${leaseMs}, ${nowMs}::double precision)`
  return row ?? { granted: 0, level: 0 }
}
