// Reads the counts of stand-in: whole hours as triggers counted them, and rows of transactions
// where the period cuts an hour, or where they are older than the counts.
import type { EpochMs } from '../../../shared/clock.ts'
import type { Owner } from '../../context.ts'
import {
  type CreatedFilters,
  type CreatedRange,
  createdRange,
} from '../../database/created-filter.ts'
import type { Fragment } from '../../database/page.ts'
import type { SqlTag } from '../../database/pool.ts'
import { NOTHING } from '../../database/static-fragments.ts'

const HOUR_MS = 3_600_000

export interface VerdictCount {
  /** Outcome of the requests, or `late_approve` and `late_decline` for late answers. */
  outcome: string
  /** Stand-in decided the request. */
  standIn: boolean
  /** Stand-in approved the request, or would have. */
  would: boolean
  /** The late answer disagreed with the decision. */
  disagrees: boolean
  count: number
}

/** Counts requests to the tenant and late answers; only of transactions that match the filters. */
export async function countVerdicts(
  sql: SqlTag,
  owner: Owner,
  filters: CreatedFilters,
): Promise<VerdictCount[]> {
  const { tenantId, environment } = owner
  const range = createdRange(filters)
  const { hours, edges } = partsOf(range)
  const [old] = await sql<{ seq: number; untilAt: EpochMs }[]>`
    select seq, until_at as "untilAt" from stand_in_uncounted
    where tenant_id = ${tenantId} and environment = ${environment}`
  const { seq, untilAt } = old ?? { seq: 0, untilAt: -1 }
  const rest = { from: range.from, before: Math.min(range.before, untilAt + 1) }
  const rows = [
    ...edges.map((edge) => rowsWithin(sql, owner, edge, sql`t.seq > ${seq}`)),
    ...(rest.from < rest.before ? [rowsWithin(sql, owner, rest, sql`t.seq <= ${seq}`)] : []),
  ]
  return sql<VerdictCount[]>`
    select outcome, stand_in as "standIn", would_approve as would, disagrees,
      sum(count)::bigint as count
    from (
      select outcome, stand_in, would_approve, disagrees, count from stand_in_counts
      where tenant_id = ${tenantId} and environment = ${environment}
        and at >= ${hours.from} and at < ${hours.before}
      ${rows.length === 0 ? NOTHING : rows}
    ) counted
    group by 1, 2, 3, 4
    having sum(count) > 0`
}

/** The whole hours of a period, and what it has of others. */
function partsOf({ from, before }: CreatedRange): { hours: CreatedRange; edges: CreatedRange[] } {
  const first = Math.ceil(from / HOUR_MS) * HOUR_MS
  const isOpen = before === Number.MAX_SAFE_INTEGER
  const last = isOpen ? before : before - (before % HOUR_MS)
  if (first > last) return { hours: { from, before: from }, edges: [{ from, before }] }
  const edges = [
    { from, before: first },
    { from: last, before },
  ]
  return {
    hours: { from: first, before: last },
    edges: edges.filter((edge) => edge.from < edge.before),
  }
}

function rowsWithin(
  sql: SqlTag,
  { tenantId, environment }: Owner,
  { from, before }: CreatedRange,
  place: Fragment,
): Fragment {
  const within = sql`
    t.tenant_id = ${tenantId} and t.environment = ${environment}
      and t.created_at >= ${from} and t.created_at < ${before} and ${place}`
  return sql`
      union all
      select m.tenant_outcome, m.stand_in, m.stand_in_would_approve, false, 1
      from card_transactions t join card_transaction_messages m on m.transaction_id = t.id
      where ${within} and m.stand_in_would_approve is not null and m.tenant_outcome is not null
      union all
      select t.late_outcome, false, false, coalesce(t.late_disagrees, false), 1
      from card_transactions t
      where ${within} and t.late_outcome is not null`
}
