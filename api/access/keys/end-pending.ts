// Revokes pending keys whose grace has ended, and keys that came to their end. No call waits for
// this: the gate compares a key's times with the clock; here the row follows, and the tenant is
// told. Spec 3, api_key.revoked.
import type { EpochMs } from '../../../shared/clock.ts'
import type { TxSql } from '../../database/transaction.ts'
import { type Job, rowByRow } from '../../jobs/job.ts'
import { auditTimer } from '../../write/audit.ts'
import { moveKey } from './states.ts'
import { lockDueKey } from './store.ts'

const NAME = 'pending_key_revocation'

export const endPendingKeys: Job = {
  name: NAME,
  every: 1000,
  lease: 60_000,
  batch: 100,
  run: rowByRow(revokeOne),
}

async function revokeOne(sql: TxSql, now: EpochMs): Promise<boolean> {
  const due = await lockDueKey(sql, now)
  if (due === null) return false
  const { id } = due
  await moveKey(sql, due, { id, move: 'revoke', now: now + due.clockOffsetMs })
  await auditTimer(sql, due, { timer: NAME, resourceId: id, now })
  return true
}
