// Counts passes. Whole days are counted in advance, so a million passes cost as little as a few;
// the partial days at both ends of a range are counted row by row.
import type { Principal } from '../../context.ts'
import { bornWithin, type CreatedRange, createdRange } from '../../database/created-filter.ts'
import type { SqlTag } from '../../database/pool.ts'
import { NOTHING } from '../../database/static-fragments.ts'
import { matching, type PassFilters } from './store.ts'

const DAY_MS = 86_400_000
/** A day after any real day. */
const LAST_DAY = 2 ** 31 - 1

export async function countPasses(
  sql: SqlTag,
  principal: Principal,
  filters: PassFilters,
): Promise<number> {
  const range = createdRange(filters)
  // One card or one external id has few passes.
  if (filters.card_id !== undefined || filters.external_id !== undefined)
    return countRows(sql, principal, filters, range)
  const firstDay = Math.min(Math.ceil(range.from / DAY_MS), LAST_DAY)
  const endless = range.before === Number.MAX_SAFE_INTEGER
  const endDay = endless ? LAST_DAY : Math.min(Math.floor(range.before / DAY_MS), LAST_DAY)
  if (firstDay > endDay) return countRows(sql, principal, filters, range)
  const [days, head, tail] = await Promise.all([
    countDays(sql, principal, filters, { firstDay, endDay }),
    countRows(sql, principal, filters, { from: range.from, before: firstDay * DAY_MS }),
    endless
      ? 0
      : countRows(sql, principal, filters, { from: endDay * DAY_MS, before: range.before }),
  ])
  return days + head + tail
}

async function countDays(
  sql: SqlTag,
  { tenantId, environment }: Principal,
  { status, template_id }: PassFilters,
  { firstDay, endDay }: { firstDay: number; endDay: number },
): Promise<number> {
  const [row] = await sql<{ count: number }[]>`
    select coalesce(sum(count), 0)::bigint as count from pass_counts
    where tenant_id = ${tenantId} and environment = ${environment}
      ${status === undefined ? NOTHING : sql`and status = ${status}`}
      ${template_id === undefined ? NOTHING : sql`and template_id = ${template_id}`}
      and day >= ${firstDay} and day < ${endDay}`
  return row?.count ?? 0
}

async function countRows(
  sql: SqlTag,
  principal: Principal,
  filters: PassFilters,
  { from, before }: CreatedRange,
): Promise<number> {
  if (from >= before) return 0
  const [row] = await sql<{ count: number }[]>`
    select count(*) as count from passes
    where tenant_id = ${principal.tenantId} and environment = ${principal.environment}
      and created_at >= ${from} and created_at < ${before}
      ${bornWithin(sql, 'pass', principal, { from, before })} ${matching(sql, filters)}`
  return row?.count ?? 0
}
