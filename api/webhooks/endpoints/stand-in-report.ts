// Reports how often stand-in would have been wrong, before the first outage: its verdict on every
// authorization request beside the tenant's answer. Authorization 7.
import type { StandInReport } from '../../../shared/schemas/stand-in-report.ts'
import type { Context } from '../../context.ts'
import type { CreatedFilters } from '../../database/created-filter.ts'
import { countVerdicts, type VerdictCount } from './stand-in-store.ts'

/** Counts authorization requests of transactions that match the filters. */
export async function readStandInReport(
  { sql, principal }: Context,
  filters: CreatedFilters,
): Promise<StandInReport> {
  const all = await countVerdicts(sql, principal, filters)
  const counts = all.filter(({ outcome }) => !isLate(outcome))
  const late = all.filter(({ outcome }) => isLate(outcome))
  const sum = (matches: (count: VerdictCount) => boolean): number => total(counts.filter(matches))
  const compared = {
    both_approve: sum((count) => count.outcome === APPROVED && count.would),
    both_decline: sum((count) => count.outcome === DECLINED && !count.would),
    only_stand_in_approves: sum((count) => count.outcome === DECLINED && count.would),
    only_tenant_approves: sum((count) => count.outcome === APPROVED && !count.would),
  }
  const outcomes = [...new Set(counts.map(({ outcome }) => outcome))].toSorted()
  return {
    object: 'stand_in_report',
    questions: sum(() => true),
    outcomes: Object.fromEntries(
      outcomes.map((outcome) => [outcome, sum((count) => count.outcome === outcome)]),
    ),
    decided: {
      approved: sum((count) => count.standIn && count.would),
      declined: sum((count) => count.standIn && !count.would),
    },
    compared,
    false_approve_rate: share(compared.only_stand_in_approves, compared.both_decline),
    false_decline_rate: share(compared.only_tenant_approves, compared.both_approve),
    late: {
      approved: total(late.filter(({ outcome }) => outcome === 'late_approve')),
      declined: total(late.filter(({ outcome }) => outcome === 'late_decline')),
      disagreed: total(late.filter(({ disagrees }) => disagrees)),
    },
  }
}

function isLate(outcome: string): boolean {
  return outcome === 'late_approve' || outcome === 'late_decline'
}

function total(counts: readonly VerdictCount[]): number {
  return counts.reduce((sum, { count }) => sum + count, 0)
}

const APPROVED = 'answered_approve'
const DECLINED = 'answered_decline'

/** Returns part / (part + rest), to four decimals. */
function share(part: number, rest: number): number | null {
  return part + rest === 0 ? null : Math.round((part / (part + rest)) * 10_000) / 10_000
}
