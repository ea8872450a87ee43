// Every SQL statement about segments and about the cursor of counted events. Each names the owner
// or a subscription, which the owner gave.
import { assert } from '../../../shared/assert.ts'
import type { EpochMs } from '../../../shared/clock.ts'
import type { Environment } from '../../../shared/wire/config-records.ts'
import type { Owner } from '../../context.ts'
import type { Fragment } from '../../database/page.ts'
import type { SqlTag } from '../../database/pool.ts'
import type { TxSql } from '../../database/transaction.ts'
import type { Interval, Terms } from '../catalogue/index.ts'

/** A stretch of a subscription with one copy of terms. Every moment is in tenant time. */
export interface SegmentRow {
  id: number
  subscriptionId: string
  tenantId: string
  environment: Environment
  /** Place within the subscription, from 0. */
  place: number
  /** Number of the month of usage; null in a trial, which is free. */
  month: number | null
  /** Priced from here on. */
  fromAt: EpochMs
  untilAt: EpochMs
  /** Events of these moments belong to it. */
  countsFrom: EpochMs
  countsUntil: EpochMs
  terms: Terms
  interval: Interval
  /** Null until its usage is invoiced; later usage is late. */
  closedAt: EpochMs | null
}

function segmentColumns(sql: SqlTag): Fragment {
  return sql`
    id, subscription_id as "subscriptionId", tenant_id as "tenantId", environment, place, month,
    from_at as "fromAt", until_at as "untilAt", counts_from as "countsFrom",
    counts_until as "countsUntil", terms, billing_interval as "interval", closed_at as "closedAt"`
}

/** The part of the tenant's events that is counted. */
export interface CountCursor {
  /** Number of the last counted event. */
  seq: number
  /** Latest moment of a counted event, in tenant time. */
  countedUntil: EpochMs
}

/**
 * Locks the cursor until the transaction ends, after the subscription: counting waits, and sees
 * every segment that is cut meanwhile.
 */
export async function lockCursor(sql: TxSql, owner: Owner): Promise<CountCursor> {
  const known = await lockKnownCursor(sql, owner)
  if (known !== null) return known
  const { tenantId, environment } = owner
  await sql`
    insert into billing_cursors (tenant_id, environment) values (${tenantId}, ${environment})
    on conflict do nothing`
  const made = await lockKnownCursor(sql, owner)
  assert(made !== null, 'a cursor does not vanish')
  return made
}

async function lockKnownCursor(
  sql: TxSql,
  { tenantId, environment }: Owner,
): Promise<CountCursor | null> {
  const [row] = await sql<CountCursor[]>`
    select seq, counted_until as "countedUntil" from billing_cursors
    where tenant_id = ${tenantId} and environment = ${environment} for update`
  return row ?? null
}

/** The cursor, and the number of the tenant's last event. */
export async function findCursor(
  sql: SqlTag,
  { tenantId, environment }: Owner,
): Promise<CountCursor & { lastSeq: number }> {
  const [row] = await sql<(CountCursor & { lastSeq: number })[]>`
    select coalesce(c.seq, 0) as seq, coalesce(c.counted_until, 0) as "countedUntil",
      s.event_seq as "lastSeq"
    from tenant_sequences s left join billing_cursors c using (tenant_id, environment)
    where s.tenant_id = ${tenantId} and s.environment = ${environment}`
  return row ?? { seq: 0, countedUntil: 0, lastSeq: 0 }
}

/** The first moment that no counted event has, at or after `now`. */
export function uncountedFrom({ countedUntil }: CountCursor, now: EpochMs): EpochMs {
  return Math.max(now, countedUntil + 1)
}

export type NewSegment = Pick<
  SegmentRow,
  'subscriptionId' | 'month' | 'fromAt' | 'untilAt' | 'countsFrom' | 'terms' | 'interval'
>

/** Opens the next segment of a locked subscription. */
export async function openSegment(
  sql: TxSql,
  { tenantId, environment }: Owner,
  made: NewSegment,
): Promise<SegmentRow> {
  const { subscriptionId, untilAt } = made
  const countsFrom = Math.min(made.countsFrom, untilAt)
  const [row] = await sql<SegmentRow[]>`
    insert into billing_segments (subscription_id, tenant_id, environment, place, month, from_at,
      until_at, counts_from, counts_until, terms, billing_interval)
    values (${subscriptionId}, ${tenantId}, ${environment}, (
        select count(*) from billing_segments where subscription_id = ${subscriptionId}
      ), ${made.month}, ${made.fromAt}, ${untilAt}, ${countsFrom}, ${untilAt},
      ${JSON.stringify(made.terms)}::text::jsonb, ${made.interval})
    returning ${segmentColumns(sql)}`
  assert(row !== undefined, 'an insert returns its row')
  return row
}

/** Ends a segment before its end: priced until `untilAt`, counted until `countsUntil`. */
export async function cutSegment(
  sql: TxSql,
  { id, tenantId, environment }: SegmentRow,
  { untilAt, countsUntil }: Pick<SegmentRow, 'untilAt' | 'countsUntil'>,
): Promise<void> {
  await sql`
    update billing_segments set until_at = ${untilAt},
      counts_until = greatest(counts_from, least(counts_until, ${countsUntil}::bigint))
    where tenant_id = ${tenantId} and environment = ${environment} and id = ${id}`
}

/** The newest segment; null before the first. */
export async function lastSegment(sql: SqlTag, subscriptionId: string): Promise<SegmentRow | null> {
  const [row] = await sql<SegmentRow[]>`
    select ${segmentColumns(sql)} from billing_segments
    where subscription_id = ${subscriptionId} order by place desc limit 1`
  return row ?? null
}

/** All segments of a subscription until a month, oldest first; those of a trial are left out. */
export async function segmentsUntil(
  sql: SqlTag,
  subscriptionId: string,
  month: number,
): Promise<SegmentRow[]> {
  return sql<SegmentRow[]>`
    select ${segmentColumns(sql)} from billing_segments
    where subscription_id = ${subscriptionId} and month <= ${month} order by place`
}

/** Segments of a month of usage; those of the trial where `month` is null. */
export async function segmentsOf(
  sql: SqlTag,
  subscriptionId: string,
  month: number | null,
): Promise<SegmentRow[]> {
  return sql<SegmentRow[]>`
    select ${segmentColumns(sql)} from billing_segments
    where subscription_id = ${subscriptionId} and month is not distinct from ${month}
    order by place`
}

export async function closeSegments(
  sql: TxSql,
  subscriptionId: string,
  { month, now }: { month: number; now: EpochMs },
): Promise<void> {
  await sql`
    update billing_segments set closed_at = ${now}
    where subscription_id = ${subscriptionId} and month <= ${month} and closed_at is null`
}
