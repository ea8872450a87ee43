// Installs and removals of passes by day, from counts that a trigger keeps with every change.
import { type EpochMs, unixSeconds } from '../../../shared/clock.ts'
import type { PassStatistics } from '../../../shared/schemas/pass-statistics.ts'
import type { Context, Owner } from '../../context.ts'
import type { SqlTag } from '../../database/pool.ts'
import { NOTHING } from '../../database/static-fragments.ts'

const DAY_MS = 86_400_000
const DAYS_DEFAULT = 30

export interface PassStatisticsQuery {
  days?: number
  template_id?: string
}

/** The last days until now by the tenant's clock, the one that runs included. */
export async function readPassStatistics(
  { sql, principal, now }: Context,
  query: PassStatisticsQuery,
): Promise<PassStatistics> {
  const count = query.days ?? DAYS_DEFAULT
  const last = Math.floor(now / DAY_MS)
  const first = last - count + 1
  const [rows, begunAt] = await Promise.all([
    daysOf(sql, principal, { first, last, templateId: query.template_id ?? null }),
    countedFrom(sql, principal),
  ])
  // A day that had begun before the counts would show a part of itself.
  const counted = rows.filter(({ day }) => day * DAY_MS >= begunAt)
  const byDay = new Map(counted.map((row) => [row.day, row]))
  const sum = (of: (row: DayRow) => number): number =>
    counted.reduce((all, row) => all + of(row), 0)
  return {
    object: 'pass_statistics',
    livemode: principal.environment === 'live',
    total: { installed: sum((row) => row.installed), removed: sum((row) => row.removed) },
    days: Array.from({ length: count }, (_, at) => first + at).map((day) => {
      const none = day * DAY_MS < begunAt ? null : 0
      const { installed, removed } = byDay.get(day) ?? { installed: none, removed: none }
      return { at: unixSeconds(day * DAY_MS), installed, removed }
    }),
  }
}

interface DayRow {
  day: number
  installed: number
  removed: number
}

async function daysOf(
  sql: SqlTag,
  { tenantId, environment }: Owner,
  { first, last, templateId }: { first: number; last: number; templateId: string | null },
): Promise<DayRow[]> {
  return sql<DayRow[]>`
    select day, sum(installed)::bigint as installed, sum(removed)::bigint as removed from pass_days
    where tenant_id = ${tenantId} and environment = ${environment}
      and day between ${first} and ${last}
      ${templateId === null ? NOTHING : sql`and template_id = ${templateId}`}
    group by day order by day`
}

/**
 * Chosen: counts begin with the migration that made them; earlier days are unknown, not empty. By
 * the tenant's clock; 0 for a tenant that is younger.
 */
async function countedFrom(
  sql: SqlTag,
  { tenantId, clockOffsetMs }: { tenantId: string; clockOffsetMs: number },
): Promise<EpochMs> {
  const [row] = await sql<{ at: EpochMs }[]>`
    select b.at from pass_days_begun b join tenants t on t.id = ${tenantId} and t.created_at < b.at`
  return row === undefined ? 0 : row.at + clockOffsetMs
}
