// Finds rows that are due by their owner's clock: a tenant's sandbox may be ahead of the
// installation.
import type { EpochMs } from '../../shared/clock.ts'
import type { Fragment } from './page.ts'
import type { SqlTag } from './pool.ts'

/**
 * True when `column` lies at or before `moment` by the clock of the row's own tenant; the table has
 * `tenant_id` and `environment`. The offset furthest ahead is the bound by which the index finds
 * candidates.
 */
export function dueByTenant(sql: SqlTag, column: string, moment: EpochMs): Fragment {
  const at = sql(column)
  return sql`(
    ${at} <= ${moment}::bigint + (select coalesce(max(offset_ms), 0) from sandbox_clocks)
    and ${at} <= ${moment}::bigint + clock_offset(tenant_id, environment)
  )`
}
