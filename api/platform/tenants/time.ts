// Changes of a tenant are recorded in tenant time, for any author.
import type { EpochMs } from '../../../shared/clock.ts'
import type { Owner } from '../../context.ts'
import type { TxSql } from '../../database/transaction.ts'
import { clockOffset } from './store.ts'

/** Returns `now` of the installation on the tenant's sandbox clock; the same in live. */
export async function tenantTime(sql: TxSql, owner: Owner, now: EpochMs): Promise<EpochMs> {
  return now + (await clockOffset(sql, owner))
}
