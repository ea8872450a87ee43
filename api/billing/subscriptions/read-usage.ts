// Shows the counted usage of a month with its price so far.
import { type EpochMs, unixSeconds } from '../../../shared/clock.ts'
import type { BillingUsage } from '../../../shared/schemas/billing-usage.ts'
import type { Context } from '../../context.ts'
import { Refusal } from '../../http/refusal.ts'
import { METERS, type Meter } from '../catalogue/index.ts'
import {
  findCursor,
  rateSegment,
  type SegmentRow,
  segmentsOf,
  type UsageDay,
  type UsageSum,
  usageDays,
  usageSums,
} from '../metering/index.ts'
import { type Period, period } from '../periods.ts'
import { findSubscription } from './store.ts'
import type { SubscriptionRow } from './view.ts'

/** `month` of the subscription; absent: the one that runs, or the trial. Others are 404. */
export async function readUsage(context: Context, month?: number): Promise<BillingUsage> {
  const { sql, principal, now } = context
  // Read before the usage: what is counted meanwhile makes the answer newer than it says.
  const cursor = await findCursor(sql, principal)
  const isCaughtUp = cursor.seq >= cursor.lastSeq
  const head = {
    object: 'billing_usage' as const,
    livemode: principal.environment === 'live',
    as_of: unixSeconds(isCaughtUp ? now : cursor.countedUntil),
  }
  const row = await findSubscription(sql, principal)
  if (row === null) {
    if (month !== undefined) throw new Refusal('resource_missing', { param: 'month' })
    return { ...head, subscription_id: null, month: null, period: null, data: [] }
  }
  const shown = month ?? runningMonth(row, now)
  const segments = await segmentsOf(sql, row.id, shown)
  if (segments.length === 0 && month !== undefined)
    throw new Refusal('resource_missing', { param: 'month' })
  const ids = segments.map(({ id }) => id)
  const [sums, days] = await Promise.all([usageSums(sql, ids), usageDays(sql, ids)])
  const data = segments.flatMap((segment) =>
    METERS.map((meter) => usageView(segment, meter, { anchor: row.activeFrom, sums, days })),
  )
  return { ...head, subscription_id: row.id, month: shown, period: periodOf(row, shown), data }
}

function runningMonth({ activeFrom, ordinal }: SubscriptionRow, now: EpochMs): number | null {
  return activeFrom === null || now < activeFrom ? null : ordinal
}

function periodOf(row: SubscriptionRow, month: number | null): BillingUsage['period'] {
  const { activeFrom, trialStartedAt, trialEndsAt } = row
  if (month !== null && activeFrom !== null) return stretch(period(activeFrom, month, 1))
  if (trialStartedAt === null || trialEndsAt === null) return null
  return stretch({ from: trialStartedAt, until: trialEndsAt })
}

function stretch({ from, until }: Period): { from: number; until: number } {
  return { from: unixSeconds(from), until: unixSeconds(until) }
}

function usageView(
  segment: SegmentRow,
  meter: Meter,
  counted: { anchor: EpochMs | null; sums: readonly UsageSum[]; days: readonly UsageDay[] },
): BillingUsage['data'][number] {
  const isOurs = (row: { segmentId: number; meter: Meter }): boolean =>
    row.segmentId === segment.id && row.meter === meter
  const { quantity, late, adjusted } = counted.sums.find(isOurs) ?? NOTHING
  const rated = rateSegment(segment, { anchor: counted.anchor, meter, quantity })
  return {
    meter,
    plan: segment.terms.plan,
    period: stretch({ from: segment.fromAt, until: segment.untilAt }),
    quantity,
    late,
    adjusted,
    included: rated.included,
    over: rated.over,
    amount_cents: rated.amountCents,
    days: counted.days
      .filter(isOurs)
      .map((day) => ({ day: unixSeconds(day.day), quantity: day.quantity, late: day.late })),
  }
}

const NOTHING = { quantity: 0, late: 0, adjusted: 0 }
