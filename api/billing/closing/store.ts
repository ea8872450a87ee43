// Every SQL statement about boundaries and closes that are due. Jobs read the rows of all tenants.
import type { EpochMs } from '../../../shared/clock.ts'
import type { Owner } from '../../context.ts'
import { dueByTenant } from '../../database/due.ts'
import type { Sql } from '../../database/pool.ts'
import type { TxSql } from '../../database/transaction.ts'

/** Owners of subscriptions with a due boundary by their clock; `now` of the installation. */
export async function ownersToRoll(sql: Sql, now: EpochMs, limit: number): Promise<Owner[]> {
  return sql<Owner[]>`
    select tenant_id as "tenantId", environment from billing_subscriptions
    where ${dueByTenant(sql, 'rolls_at', now)} and ended_at is null
    order by rolls_at limit ${limit}`
}

/** Owners of subscriptions whose base price is waived and whose override ended by their clock. */
export async function ownersToResume(sql: Sql, now: EpochMs, limit: number): Promise<Owner[]> {
  return sql<Owner[]>`
    select tenant_id as "tenantId", environment from billing_subscriptions held
    where override_state = 'suspended' and ${dueByTenant(sql, 'override_expires_at', now)}
      and ended_at is null and exists (
        select from billing_invoices
        where subscription_id = held.id and kind = 'period' and ordinal = held.base_ordinal
          and base_waived
      )
    order by override_expires_at limit ${limit}`
}

/**
 * Notes for drafts which event has to be counted before their close: the last one, once every
 * message that the engine decided before the boundary was seen due has become an event.
 */
export async function awaitCount(sql: TxSql): Promise<number> {
  const noted = await sql`
    update billing_invoices i set wait_seq = coalesce((
      select event_seq from tenant_sequences s
      where s.tenant_id = i.tenant_id and s.environment = i.environment
    ), 0)
    where i.status = 'draft' and i.wait_seq is null
      and i.seen_due_at <= (select min(coalesce(caught_up_at, 0)) from journal_cursor)`
  return noted.count
}

export interface DueClose extends Owner {
  id: string
  subscriptionId: string
}

/**
 * Drafts whose usage is counted, or that wait since `forcedBefore` by the installation's clock;
 * oldest first, one of each subscription.
 */
export async function closesDue(
  sql: Sql,
  { forcedBefore, limit }: { forcedBefore: EpochMs; limit: number },
): Promise<DueClose[]> {
  return sql<DueClose[]>`
    select * from (
      select distinct on (subscription_id) i.id, i.tenant_id as "tenantId", i.environment,
        i.subscription_id as "subscriptionId", i.at, i.ordinal, i.seen_due_at, i.wait_seq, c.seq
      from billing_invoices i left join billing_cursors c using (tenant_id, environment)
      where i.status = 'draft'
      order by subscription_id, ordinal
    ) oldest
    where ordinal = 0 or seq >= wait_seq or seen_due_at <= ${forcedBefore}
    order by at limit ${limit}`
}
