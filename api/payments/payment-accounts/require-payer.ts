// The account that a new payment or mandate names as its payer.
import type { Owner } from '../../context.ts'
import type { TxSql } from '../../database/transaction.ts'
import { Refusal } from '../../http/refusal.ts'
import { shareAccount } from './store.ts'
import type { PaymentAccountRow } from './view.ts'

/**
 * Refuses with 404 an unknown account, and with 409 one that is not active. It stays so until the
 * transaction ends.
 */
export async function requirePayer(
  sql: TxSql,
  owner: Owner,
  id: string,
): Promise<PaymentAccountRow> {
  const param = 'payment_account_id'
  const account = await shareAccount(sql, owner, id)
  if (account === null) throw new Refusal('resource_missing', { param })
  if (account.status === 'active') return account
  const extra = { current_status: account.status }
  throw new Refusal('payment_account_not_active', { param, extra })
}
