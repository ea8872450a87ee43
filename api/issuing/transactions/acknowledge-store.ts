// Every SQL statement about acknowledged decisions of stand-in, except the filter of the list.
import type { EpochMs } from '../../../shared/clock.ts'
import type { Owner } from '../../context.ts'
import type { TxSql } from '../../database/transaction.ts'

/** Returns those of the transactions that are the owner's, and whether stand-in decided on each. */
export async function standInOf(
  sql: TxSql,
  owner: Owner,
  ids: readonly string[],
): Promise<{ id: string; standIn: boolean }[]> {
  return sql<{ id: string; standIn: boolean }[]>`
    select id, stand_in as "standIn" from card_transactions
    where tenant_id = ${owner.tenantId} and environment = ${owner.environment}
      and id = any(${[...ids]}::text[])`
}

/** Acknowledges every decision of these transactions so far. */
export async function acknowledge(
  sql: TxSql,
  owner: Owner,
  { ids, by, now }: { ids: readonly string[]; by: string; now: EpochMs },
): Promise<void> {
  await sql`
    insert into stand_in_acknowledgements as held (
      transaction_id, tenant_id, environment, sequence, acknowledged_by, acknowledged_at
    )
    select t.id, t.tenant_id, t.environment, t.sequence, ${by}, ${now}
    from card_transactions t
    where t.tenant_id = ${owner.tenantId} and t.environment = ${owner.environment}
      and t.id = any(${[...ids]}::text[])
    order by t.id
    on conflict (transaction_id) do update set sequence = excluded.sequence,
      acknowledged_by = excluded.acknowledged_by, acknowledged_at = excluded.acknowledged_at
    where held.sequence < excluded.sequence`
}
