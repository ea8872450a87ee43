// The price of a change of plan: a pure function. The unused time of the old base price is taken
// back, and the rest of the new one is charged.
import type { EpochMs } from '../../../shared/clock.ts'
import {
  type Interval,
  isUpgrade,
  type PlanKey,
  type SelfServePlan,
  type Terms,
} from '../catalogue/index.ts'
import type { InvoiceLineRow } from '../invoices/index.ts'
import { baseLine, basePeriod, nextRoll } from './roll.ts'
import { basePeriodOf, type SubscriptionRow } from './view.ts'

export type Effective = 'now' | 'period_end'

/** Fields of a request; what is left out stays. */
export interface ChangeInput {
  plan: PlanKey | null
  interval: Interval | null
  effective: Effective | null
}

/** The wanted plan, and when it comes into force. */
export interface Target {
  plan: PlanKey
  interval: Interval
  /** Neither the plan nor the interval differs from those in force. */
  isSame: boolean
  isUpgrade: boolean
  effective: Effective
}

/** Chosen: a yearly interval counts as an upgrade, a monthly one as a downgrade. */
export function targetOf(row: SubscriptionRow, input: ChangeInput): Target {
  const plan = input.plan ?? row.terms.plan
  const interval = input.interval ?? row.interval
  const isSamePlan = plan === row.terms.plan
  const isUp = isSamePlan
    ? interval === 'year' && row.interval === 'month'
    : isUpgrade(row.terms.plan, plan)
  const effective = input.effective ?? (isUp ? 'now' : 'period_end')
  const isSame = isSamePlan && interval === row.interval
  return { plan, interval, isSame, isUpgrade: isUp, effective }
}

export interface PricedChange {
  /** Lines with an amount; the credit first. */
  lines: InvoiceLineRow[]
  /** First month of the base price's period afterwards. */
  baseOrdinal: number
}

/**
 * A change of a paid subscription at `at`. Another interval begins its period with the month that
 * runs, so that every boundary still counts from the anchor.
 */
export function priceChange(
  row: SubscriptionRow,
  next: { terms: Terms; interval: Interval },
  { at, baseWaived }: { at: EpochMs; baseWaived: boolean },
): PricedChange {
  const isSameInterval = next.interval === row.interval
  const baseOrdinal = isSameInterval ? row.baseOrdinal : row.ordinal
  const before = basePeriodOf(row)
  if (before === null || row.activeFrom === null || baseWaived) return { lines: [], baseOrdinal }
  const unused = baseLine(row, before, at)
  const credit = { ...unused, kind: 'credit' as const, amountCents: -unused.amountCents }
  const debit = baseLine(next, basePeriod(row.activeFrom, baseOrdinal, next.interval), at)
  const lines = [credit, debit].filter(({ amountCents }) => amountCents !== 0)
  return { lines, baseOrdinal }
}

/** The subscription behind every boundary that is due, without storing them. */
export function rolledRow(row: SubscriptionRow, now: EpochMs): SubscriptionRow {
  let rolled = row
  for (let roll = nextRoll(rolled, now); roll !== null; roll = nextRoll(rolled, now))
    rolled = { ...rolled, ...roll.change }
  return rolled
}

/** True for a plan of the catalogue. */
export function isSelfServe(plan: PlanKey): plan is SelfServePlan {
  return plan !== 'enterprise'
}
