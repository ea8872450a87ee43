// Statements about the accounts of holders as the chain shows them.
import type { Environment } from '../../../shared/wire/config-records.ts'
import type { SqlTag } from '../../database/pool.ts'
import type { TxSql } from '../../database/transaction.ts'

export interface HolderAccount {
  id: string
  tenantId: string
  address: string
  balanceCents: number
  fundedCents: number
  leavingCents: number
  asOfBlock: number | null
  /** Cents that the holder asked for on the chain, without the service. */
  chainLeavingCents: number
  /** Token units that ever left by withdrawals, as far as the ledger has them. */
  withdrawnUnits: string
  /** Cents of the account that have landed, over its whole life. */
  capturedCents: number
  clockOffsetMs: number
}

/** Accounts with an address, by id from a cursor on. */
export async function listHolders(
  sql: SqlTag,
  { chainId, environment }: { chainId: number; environment: Environment },
  { after, most }: { after: string; most: number },
): Promise<readonly HolderAccount[]> {
  return sql<HolderAccount[]>`
    select id, tenant_id as "tenantId", address, balance_cents as "balanceCents",
      funded_cents as "fundedCents", leaving_cents as "leavingCents",
      chain_leaving_cents as "chainLeavingCents", withdrawn_units::text as "withdrawnUnits",
      as_of_block as "asOfBlock",
      clock_offset(tenant_id, environment) as "clockOffsetMs",
      coalesce((
        select sum(p.captured_cents)::bigint from payments p where p.payment_account_id = a.id
      ), 0) as "capturedCents"
    from payment_accounts a
    where chain_id = ${chainId} and environment = ${environment} and address is not null
      and id > ${after}
    order by id limit ${most}`
}

/**
 * Shows an account as a finalized block has it. The cents that leave are those of this moment: a
 * holder may have approved a withdrawal since the accounts were listed.
 */
export async function saveFunds(
  sql: TxSql,
  funds: {
    id: string
    balanceCents: number
    capturedCents: number
    chainLeavingCents: number
    withdrawnUnits: string
    block: number
  },
): Promise<void> {
  const { id, balanceCents, capturedCents, chainLeavingCents } = funds
  await sql`
    update payment_accounts set balance_cents = ${balanceCents},
      funded_cents = greatest(0, ${balanceCents + capturedCents}::bigint
        - (leaving_cents - chain_leaving_cents + ${chainLeavingCents}::bigint)),
      leaving_cents = leaving_cents - chain_leaving_cents + ${chainLeavingCents},
      chain_leaving_cents = ${chainLeavingCents}, withdrawn_units = ${funds.withdrawnUnits},
      as_of_block = ${funds.block}
    where id = ${id}`
}

/** The chain has less of an account than the ledger: no payment of it is approved any more. */
export async function suspendHolder(sql: TxSql, id: string): Promise<void> {
  await sql`
    update payment_accounts set status = 'suspended', suspend_reason = 'ledger_apart'
    where id = ${id} and status = 'active'`
}
