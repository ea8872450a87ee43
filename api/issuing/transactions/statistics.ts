// Statistics of authorizations from the counts that the drain writes, step by step.
import { type EpochMs, unixSeconds } from '../../../shared/clock.ts'
import { DECLINE_REASONS, type DeclineReason } from '../../../shared/decline-reason.ts'
import {
  type AuthorizationStatistics,
  type AuthorizationSums,
  STATISTICS_STEPS,
  type StatisticsStep,
} from '../../../shared/schemas/authorization-statistics.ts'
import type { Context } from '../../context.ts'
import { parseFilterInstant } from '../../database/created-filter.ts'
import { Refusal } from '../../http/refusal.ts'
import { ANSWER_BOUNDS_MS, ANSWER_COLUMNS } from './answer-buckets.ts'
import { MINUTES_KEPT_MS } from './fold-counts.ts'
import { countsByStep, type StepCount } from './statistics-store.ts'

const DAY_MS = 86_400_000
const STEP_MS: { readonly [step in StatisticsStep]: number } = {
  minute: 60_000,
  hour: 3_600_000,
  day: DAY_MS,
}
/** Chosen: a day by the minute, 60 days by the hour. */
const STEPS_MAX = 1440

export interface StatisticsQuery {
  from?: string
  to?: string
  step?: StatisticsStep
  program_id?: string
}

/**
 * Chosen: without `to` the last step is the one that runs, without `from` the first one begins a
 * day before; both are widened to whole steps. Refuses `from` behind `to`, more than STEPS_MAX
 * steps, and minutes older than 48 hours.
 */
export async function readAuthorizationStatistics(
  { sql, principal, now }: Context,
  query: StatisticsQuery,
): Promise<AuthorizationStatistics> {
  const step = query.step ?? 'hour'
  const range = rangeOf(query, { stepMs: STEP_MS[step], now })
  const programId = query.program_id ?? null
  const counts = await countsByStep(sql, principal, { ...range, programId })
  const byStep = Map.groupBy(counts, ({ at }) => at)
  const { from, to, stepMs } = range
  return {
    object: 'authorization_statistics',
    livemode: principal.environment === 'live',
    from: unixSeconds(from),
    to: unixSeconds(to),
    step,
    total: sumsOf(counts),
    steps: Array.from({ length: (to - from) / stepMs }, (_, at) => from + at * stepMs).map(
      (at) => ({ at: unixSeconds(at), ...sumsOf(byStep.get(at) ?? []) }),
    ),
  }
}

interface Range {
  from: EpochMs
  to: EpochMs
  stepMs: number
}

function rangeOf(query: StatisticsQuery, asked: { stepMs: number; now: EpochMs }): Range {
  const { stepMs, now } = asked
  const begun = (moment: EpochMs): EpochMs => Math.floor(moment / stepMs) * stepMs
  const to = query.to === undefined ? begun(now) + stepMs : begun(momentOf(query.to) + stepMs - 1)
  const from = begun(
    query.from === undefined ? to - Math.max(DAY_MS, stepMs) : momentOf(query.from),
  )
  if (from >= to) throw invalid('from', 'The period begins before it ends.')
  if ((to - from) / stepMs > STEPS_MAX)
    throw invalid('from', 'At most ' + STEPS_MAX + ' steps; ' + STATISTICS_STEPS.join(', ') + '.')
  if (stepMs === STEP_MS.minute && from < begun(now) - MINUTES_KEPT_MS)
    throw invalid('from', 'Minutes reach back 48 hours; use step=hour.')
  return { from, to, stepMs }
}

function momentOf(text: string): EpochMs {
  return parseFilterInstant(text) ?? 0
}

function invalid(param: string, message: string): Refusal {
  return new Refusal('parameter_invalid', { param, message })
}

function sumsOf(counts: readonly StepCount[]): AuthorizationSums {
  const requests = counts.filter(({ outcome }) => outcome === 'approved' || outcome === 'declined')
  const count = (of: readonly StepCount[], matches: (row: StepCount) => boolean): number =>
    sum(of.filter(matches).map((row) => row.count))
  const all = count(requests, () => true)
  const approved = count(requests, isApproved)
  const standIn = requests.filter(({ decidedBy }) => decidedBy === 'stand_in')
  return {
    requests: all,
    approved,
    declined: all - approved,
    approval_share: share(approved, all),
    amounts: amountsOf(requests),
    reasons: reasonsOf(requests),
    decided_by: decidersOf(requests),
    answers: answersOf(requests),
    stand_in: {
      approved: count(standIn, isApproved),
      declined: count(standIn, (row) => !isApproved(row)),
    },
    late_answers: {
      approved: count(counts, ({ outcome }) => outcome === 'late_approve'),
      declined: count(counts, ({ outcome }) => outcome === 'late_decline'),
    },
  }
}

function isApproved({ outcome }: StepCount): boolean {
  return outcome === 'approved'
}

function amountsOf(requests: readonly StepCount[]): AuthorizationSums['amounts'] {
  const groups = [...Map.groupBy(requests, ({ currency }) => currency)]
  return groups
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([currency, rows]) => {
      const requested = sum(rows.map(({ requestedCents }) => requestedCents))
      const approved = sum(rows.map(({ approvedCents }) => approvedCents))
      return {
        currency,
        requested_cents: requested,
        approved_cents: approved,
        approval_share: share(approved, requested),
      }
    })
}

function reasonsOf(requests: readonly StepCount[]): AuthorizationSums['reasons'] {
  const declined = requests.flatMap((row) =>
    row.reason === null ? [] : [{ reason: row.reason, count: row.count }],
  )
  return mostFirst(Map.groupBy(declined, ({ reason }) => reason)).map(([reason, rows]) => ({
    reason,
    retry_advice: DECLINE_REASONS[reason as DeclineReason].retry,
    requests: sum(rows.map((row) => row.count)),
  }))
}

function decidersOf(requests: readonly StepCount[]): AuthorizationSums['decided_by'] {
  return mostFirst(Map.groupBy(requests, ({ decidedBy }) => decidedBy)).map(([by, rows]) => ({
    decided_by: by,
    requests: sum(rows.map((row) => row.count)),
    approved: sum(rows.filter(isApproved).map((row) => row.count)),
  }))
}

/** The most frequent first; equal ones by name. */
function mostFirst<Name extends string, Row extends { count: number }>(
  groups: Map<Name, Row[]>,
): [Name, Row[]][] {
  const size = (rows: readonly Row[]): number => sum(rows.map(({ count }) => count))
  return [...groups].toSorted(([a, one], [b, two]) => size(two) - size(one) || (a < b ? -1 : 1))
}

function answersOf(requests: readonly StepCount[]): AuthorizationSums['answers'] {
  const asked = sum(requests.map((row) => row.asked))
  const buckets = ANSWER_COLUMNS.map((column) => sum(requests.map((row) => row[column])))
  const under = (bound: number): number | null =>
    share(sum(buckets.filter((_, at) => (ANSWER_BOUNDS_MS[at] ?? 0) <= bound)), asked)
  return {
    asked,
    answered: sum(buckets),
    under_300_ms_share: under(300),
    under_800_ms_share: under(800),
    under_1500_ms_share: under(1500),
    answer_ms: {
      p50: quantile(buckets, 0.5),
      p95: quantile(buckets, 0.95),
      p99: quantile(buckets, 0.99),
    },
  }
}

/** Chosen: answers within a bucket count as evenly spread; those beyond the last bound as on it. */
function quantile(buckets: readonly number[], part: number): number | null {
  const rank = part * sum(buckets)
  if (rank === 0) return null
  let before = 0
  for (const [at, count] of buckets.entries()) {
    if (before + count >= rank) {
      const least = ANSWER_BOUNDS_MS[at - 1] ?? 0
      const bound = ANSWER_BOUNDS_MS[at] ?? least
      const most = Number.isFinite(bound) ? bound : least
      return Math.round(least + (most - least) * ((rank - before) / count))
    }
    before += count
  }
  return null
}

/** Sums end at 2^53 - 1, the largest whole number that JSON carries safely. */
function sum(numbers: readonly number[]): number {
  return Math.min(
    numbers.reduce((total, number) => total + number, 0),
    Number.MAX_SAFE_INTEGER,
  )
}

/** Returns part / whole, to four decimals; null of nothing. */
function share(part: number, whole: number): number | null {
  return whole === 0 ? null : Math.round((part / whole) * 10_000) / 10_000
}
