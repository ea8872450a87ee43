// The account that a new payment or mandate names as its payee.
import type { EpochMs } from '../../../shared/clock.ts'
import type { Owner } from '../../context.ts'
import type { TxSql } from '../../database/transaction.ts'
import { Refusal } from '../../http/refusal.ts'
import { findPayee, type Payee } from './store.ts'

/** Refuses with 404 an unknown account, and with 409 one that cannot be paid at this moment. */
export async function requirePayee(
  sql: TxSql,
  owner: Owner,
  { id, now }: { id: string; now: EpochMs },
): Promise<Payee> {
  const param = 'settlement_account_id'
  const payee = await findPayee(sql, owner, id)
  if (payee === null) throw new Refusal('resource_missing', { param })
  if (payee.status !== 'disabled' && payee.usableAt <= now) return payee
  const extra = { current_status: payee.status }
  throw new Refusal('settlement_account_not_usable', { param, extra })
}
