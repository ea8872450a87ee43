// Loses disputes whose window closed without a response. Spec 3 and 6.2, dispute.expired.
import type { EpochMs } from '../../../shared/clock.ts'
import type { TxSql } from '../../database/transaction.ts'
import { type Job, rowByRow } from '../../jobs/job.ts'
import { moveDispute } from './move.ts'
import { lockDueDispute } from './store.ts'

export const disputeExpiry: Job = {
  name: 'dispute_expiry',
  every: 1000,
  lease: 60_000,
  batch: 100,
  run: rowByRow(expireOne),
}

async function expireOne(sql: TxSql, now: EpochMs): Promise<boolean> {
  const due = await lockDueDispute(sql, now)
  if (due === null) return false
  const tenantNow = now + due.clockOffsetMs
  const change = { outcome: 'lost', resolvedAt: tenantNow } as const
  await moveDispute(sql, due, { id: due.id, move: 'expire', now: tenantNow, change })
  return true
}
