// What happens to a tenant happens in its own time, whoever does it.
import type { EpochMs } from '../../../shared/clock.ts'
import type { Owner } from '../../context.ts'
import type { TxSql } from '../../database/transaction.ts'
import { clockOffset } from './store.ts'

/** `now` of the installation as the tenant's sandbox clock shows it; the same in live. */
export async function tenantTime(sql: TxSql, owner: Owner, now: EpochMs): Promise<EpochMs> {
  return now + (await clockOffset(sql, owner))
}
