// Every SQL statement about boundaries and closes that are due. Jobs read the rows of all tenants.
import type { EpochMs } from '../../../shared/clock.ts'
import type { Owner } from '../../context.ts'
import { dueByTenant } from '../../database/due.ts'
import type { Fragment } from '../../database/page.ts'
import type { Sql, SqlTag } from '../../database/pool.ts'
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
        i.subscription_id as "subscriptionId", i.at, i.kind, i.ordinal, i.seen_due_at, i.wait_seq,
        c.seq
      from billing_invoices i left join billing_cursors c using (tenant_id, environment)
      where i.status = 'draft'
      order by subscription_id, ordinal
    ) oldest
    where kind = 'period' and ordinal = 0 or seq >= wait_seq or seen_due_at <= ${forcedBefore}
    order by at limit ${limit}`
}

export interface Unbilled extends Owner {
  subscriptionId: string
}

/**
 * Subscriptions behind their last boundary whose usage or corrections are not those that were
 * billed, and that have no draft.
 */
export function findUnbilled(sql: SqlTag, limit: number): Promise<Unbilled[]> {
  return sql<Unbilled[]>`
    select distinct held.id as "subscriptionId", held.tenant_id as "tenantId", held.environment
    from ${unbilled(sql)} limit ${limit}`
}

/** The same of one subscription, which is locked. */
export async function isUnbilled(sql: SqlTag, subscriptionId: string): Promise<boolean> {
  const [row] = await sql`
    select from ${unbilled(sql)} and held.id = ${subscriptionId} limit 1`
  return row !== undefined
}

function unbilled(sql: SqlTag): Fragment {
  return sql`
    (
      select segment_id, meter from billing_usage where late > 0
      union select segment_id, meter from billing_adjustments
    ) late
    join billing_segments part on part.id = late.segment_id
    join billing_subscriptions held on held.id = part.subscription_id
    left join billing_rated billed
      on billed.segment_id = late.segment_id and billed.meter = late.meter
    where held.rolls_at is null and held.active_from is not null
      and part.month is not null and part.closed_at is not null
      and not exists (select from billing_invoices draft
        where draft.subscription_id = held.id and draft.status = 'draft')
      and coalesce(billed.quantity, 0) <> (
        select coalesce(sum(quantity), 0) from billing_usage counted
        where counted.segment_id = late.segment_id and counted.meter = late.meter
      ) + (
        select coalesce(sum(quantity), 0) from billing_adjustments corrected
        where corrected.segment_id = late.segment_id and corrected.meter = late.meter
      )`
}
