// Merchant categories of the newest declines. A fixed number of rows is read, however many there
// are.
import { type EpochMs, unixSeconds } from '../../../shared/clock.ts'
import type { DeclineReason } from '../../../shared/decline-reason.ts'
import {
  DECLINES_COUNTED_MAX,
  type DeclineCategories,
} from '../../../shared/schemas/decline-categories.ts'
import type { Context, Owner } from '../../context.ts'
import type { SqlTag } from '../../database/pool.ts'

export async function readDeclineCategories({
  sql,
  principal,
}: Context): Promise<DeclineCategories> {
  const rows = await countCategories(sql, principal)
  const since = Math.min(...rows.map(({ oldestAt }) => oldestAt))
  return {
    object: 'decline_categories',
    livemode: principal.environment === 'live',
    declines: rows.reduce((all, { declines }) => all + declines, 0),
    since: rows.length === 0 ? null : unixSeconds(since),
    categories: rows.map(({ mcc, declines, reason }) => ({ mcc, declines, reason })),
  }
}

interface CategoryRow {
  mcc: string
  declines: number
  reason: DeclineReason | null
  oldestAt: EpochMs
}

async function countCategories(
  sql: SqlTag,
  { tenantId, environment }: Owner,
): Promise<CategoryRow[]> {
  return sql<CategoryRow[]>`
    select mcc, count(*)::integer as declines, min(created_at) as "oldestAt",
      mode() within group (order by decline_reason) as reason
    from (
      select mcc, created_at, decline_reason from card_transactions
      where tenant_id = ${tenantId} and environment = ${environment} and status = 'declined'
      order by seq desc limit ${DECLINES_COUNTED_MAX}
    ) newest
    group by mcc order by declines desc, mcc`
}
