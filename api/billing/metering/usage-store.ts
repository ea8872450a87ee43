// Every SQL statement about counted usage, its corrections and what was billed of it. Segments are
// named by their ids, which the owner's subscription gave.
import type { EpochMs } from '../../../shared/clock.ts'
import type { Owner } from '../../context.ts'
import type { SqlTag } from '../../database/pool.ts'
import type { TxSql } from '../../database/transaction.ts'
import type { Meter } from '../catalogue/index.ts'

/** Usage of one meter in one segment. */
export interface UsageSum {
  segmentId: number
  meter: Meter
  /** Counted units and corrections together. */
  quantity: number
  /** Counted units that arrived after the close. */
  late: number
  /** Sum of the corrections. */
  adjusted: number
  /** Rated quantity and cents that were invoiced so far; null before the first invoice. */
  billedQuantity: number | null
  billedCents: number
}

/** Meters without usage, corrections and billed quantity have no row. */
export async function usageSums(sql: SqlTag, segmentIds: readonly number[]): Promise<UsageSum[]> {
  return sql<UsageSum[]>`
    with wanted as (select unnest(${segmentIds}::bigint[]) as segment_id),
    counted as (
      select segment_id, meter, sum(quantity)::bigint as quantity, sum(late)::bigint as late
      from billing_usage join wanted using (segment_id) group by 1, 2
    ),
    adjusted as (
      select segment_id, meter, sum(quantity)::bigint as quantity
      from billing_adjustments join wanted using (segment_id) group by 1, 2
    ),
    rated as (
      select segment_id, meter, quantity, amount_cents
      from billing_rated join wanted using (segment_id)
    )
    select segment_id as "segmentId", meter,
      coalesce(c.quantity, 0) + coalesce(a.quantity, 0) as quantity, coalesce(c.late, 0) as late,
      coalesce(a.quantity, 0) as adjusted, r.quantity as "billedQuantity",
      coalesce(r.amount_cents, 0) as "billedCents"
    from counted c
      full join adjusted a using (segment_id, meter)
      full join rated r using (segment_id, meter)
    order by segment_id, meter`
}

/** Usage of one day. */
export interface UsageDay {
  segmentId: number
  meter: Meter
  /** Start of the day, UTC. */
  day: EpochMs
  quantity: number
  late: number
}

export async function usageDays(sql: SqlTag, segmentIds: readonly number[]): Promise<UsageDay[]> {
  return sql<UsageDay[]>`
    select segment_id as "segmentId", meter, day, quantity, late from billing_usage
    where segment_id = any (${segmentIds}::bigint[]) order by segment_id, meter, day`
}

/** The rated quantity of a meter and the cents that are invoiced for it now. */
export interface Rated {
  segmentId: number
  meter: Meter
  quantity: number
  amountCents: number
}

export async function saveRated(sql: TxSql, rows: readonly Rated[]): Promise<void> {
  if (rows.length === 0) return
  await sql`
    insert into billing_rated (segment_id, meter, quantity, amount_cents)
    select * from unnest(
      ${rows.map(({ segmentId }) => segmentId)}::bigint[],
      ${rows.map(({ meter }) => meter)}::text[],
      ${rows.map(({ quantity }) => quantity)}::bigint[],
      ${rows.map(({ amountCents }) => amountCents)}::bigint[]
    )
    on conflict (segment_id, meter) do update set
      quantity = excluded.quantity, amount_cents = excluded.amount_cents`
}

export interface Adjustment {
  id: string
  segmentId: number
  meter: Meter
  /** Signed units. */
  quantity: number
  reason: string
  operatorId: string
  createdAt: EpochMs
}

export async function insertAdjustment(
  sql: TxSql,
  { tenantId, environment }: Owner,
  made: Adjustment,
): Promise<void> {
  await sql`
    insert into billing_adjustments (id, segment_id, tenant_id, environment, meter, quantity,
      reason, operator_id, created_at)
    values (${made.id}, ${made.segmentId}, ${tenantId}, ${environment}, ${made.meter},
      ${made.quantity}, ${made.reason}, ${made.operatorId}, ${made.createdAt})`
}
