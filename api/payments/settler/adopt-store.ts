// Statements about what a batch of a lost closing may hold.
import type { TxSql } from '../../database/transaction.ts'
import type { ClosingAccount } from '../settlement-batches/index.ts'
import type { NamedItem } from './land.ts'

/** Locks the settlement accounts of an address, as a closing does, in the order of their ids. */
export async function lockAccountsOf(
  sql: TxSql,
  { chainId, payee }: { chainId: number; payee: string },
): Promise<readonly (ClosingAccount & { feeBps: number })[]> {
  return sql<(ClosingAccount & { feeBps: number })[]>`
    select id, tenant_id as "tenantId", environment, chain_id as "chainId", fee_bps as "feeBps"
    from settlement_accounts where chain_id = ${chainId} and lower(address) = ${payee}
    order by id for no key update`
}

/** An item on its way, in a batch or not. `asking`: the engine has not answered yet. */
type ItemOfPayee = NamedItem & { accountId: string; batchId: string | null; status: string }

/** Captures and refunds of the accounts that have not ended. */
export async function listItemsOfPayee(
  sql: TxSql,
  accountIds: readonly string[],
): Promise<readonly ItemOfPayee[]> {
  const columns = sql`
    i.id, i.bit, i.status, i.amount_cents as cents, p.approval_hash as "approvalHash",
    p.settlement_account_id as "accountId", i.settlement_batch_id as "batchId"`
  const isOnItsWay = sql`
    p.settlement_account_id = any(${accountIds}::text[])
    and i.status in ('asking', 'pending', 'awaiting_funds', 'submitted', 'included')`
  return sql`
    select 'capture' as kind, ${columns}
    from payment_captures i join payments p on p.id = i.payment_id where ${isOnItsWay}
    union all
    select 'refund', ${columns}
    from payment_refunds i join payments p on p.id = i.payment_id where ${isOnItsWay}`
}
