// What is due by the clock of whoever owns it: a tenant's sandbox may be ahead of the installation.
import type { EpochMs } from '../../shared/clock.ts'
import type { Fragment } from './page.ts'
import type { SqlTag } from './pool.ts'

/**
 * True where `column` lies at or before `moment` by the clock of the row's own tenant; the table has `tenant_id` and
 * `environment`. No clock is further ahead than the furthest: by that bound the index finds who may be due.
 */
export function dueByTenant(sql: SqlTag, column: string, moment: EpochMs): Fragment {
  const at = sql(column)
  return sql`(
    ${at} <= ${moment}::bigint + (select coalesce(max(offset_ms), 0) from sandbox_clocks)
    and ${at} <= ${moment}::bigint + clock_offset(tenant_id, environment)
  )`
}
