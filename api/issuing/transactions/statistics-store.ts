// Reads the counts of authorizations.
import type { EpochMs } from '../../../shared/clock.ts'
import type { DeclineReason } from '../../../shared/decline-reason.ts'
import type { DecidedBy } from '../../../shared/wire/decision-record.ts'
import type { Owner } from '../../context.ts'
import type { SqlTag } from '../../database/pool.ts'
import type { AnswerColumn } from './answer-buckets.ts'

/** Requests, or late replies, of one step that are alike; numbers end at 2^53 - 1. */
export type StepCount = {
  /** Start of the step. */
  at: EpochMs
  currency: string
  outcome: 'approved' | 'declined' | 'late_approve' | 'late_decline'
  reason: DeclineReason | null
  decidedBy: DecidedBy
  count: number
  requestedCents: number
  approvedCents: number
  asked: number
} & { [column in AnswerColumn]: number }

/** Counts of `from <= at < to`, where both are multiples of `stepMs`. */
export async function countsByStep(
  sql: SqlTag,
  { tenantId, environment }: Owner,
  asked: { from: EpochMs; to: EpochMs; stepMs: number; programId: string | null },
): Promise<StepCount[]> {
  const { from, to, stepMs, programId } = asked
  return sql<StepCount[]>`
    select at - at % ${stepMs}::bigint as at, currency, outcome, reason, decided_by as "decidedBy",
      sum(count)::bigint as count,
      least(sum(amount_cents), 9007199254740991)::bigint as "requestedCents",
      least(sum(approved_cents), 9007199254740991)::bigint as "approvedCents",
      sum(asked)::bigint as asked, sum(answered_50)::bigint as answered_50,
      sum(answered_100)::bigint as answered_100, sum(answered_200)::bigint as answered_200,
      sum(answered_300)::bigint as answered_300, sum(answered_500)::bigint as answered_500,
      sum(answered_800)::bigint as answered_800, sum(answered_1500)::bigint as answered_1500,
      sum(answered_more)::bigint as answered_more
    from authorization_counts
    where tenant_id = ${tenantId} and environment = ${environment} and level in (0, 1, 2)
      and at >= ${from} and at < ${to}
      ${programId === null ? sql`` : sql`and program_id = ${programId}`}
    group by 1, 2, 3, 4, 5
    order by 1`
}
