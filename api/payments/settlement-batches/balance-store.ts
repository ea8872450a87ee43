// The sums of a tenant's settlement balance.
import type { Owner } from '../../context.ts'
import type { SqlTag } from '../../database/pool.ts'

interface BalanceSums {
  /** Captures that wait for a batch, in US cents. */
  pendingCents: number
  /** Captures of batches that have not ended, in US cents. */
  inSettlementCents: number
  /** Refunds that have not landed, in US cents. */
  refundsDueCents: number
  /** By the ledger, token units; negative where refunds exceed what was paid. */
  paidUnits: string
}

export async function readBalanceSums(
  sql: SqlTag,
  { tenantId, environment }: Owner,
  accountId: string | null,
): Promise<BalanceSums> {
  const [row] = await sql<BalanceSums[]>`
    with accounts as (
      select id from settlement_accounts
      where tenant_id = ${tenantId} and environment = ${environment}
        and (${accountId}::text is null or id = ${accountId})
    ),
    captures as (
      select c.amount_cents, c.settlement_batch_id is null as waits
      from payment_captures c join payments p on p.id = c.payment_id
      where c.status in ('pending', 'submitted', 'included')
        and c.tenant_id = ${tenantId} and c.environment = ${environment}
        and p.settlement_account_id in (select id from accounts)
    ),
    refunds as (
      select r.amount_cents from payment_refunds r join payments p on p.id = r.payment_id
      where r.status in ('pending', 'awaiting_funds', 'submitted', 'included')
        and r.tenant_id = ${tenantId} and r.environment = ${environment}
        and p.settlement_account_id in (select id from accounts)
    )
    select
      (select coalesce(sum(amount_cents), 0)::bigint from captures where waits) as "pendingCents",
      (
        select coalesce(sum(amount_cents), 0)::bigint from captures where not waits
      ) as "inSettlementCents",
      (select coalesce(sum(amount_cents), 0)::bigint from refunds) as "refundsDueCents",
      (
        select coalesce(sum(balance), 0)::text from ledger_accounts
        where kind = 'paid' and owner_id in (select id from accounts)
      ) as "paidUnits"`
  if (row === undefined) throw new Error('a sum has one row')
  return row
}
