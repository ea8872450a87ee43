// The next boundary of a subscription: a pure function. A month of usage begins with the terms that
// hold from there on, or the subscription ends.
import type { EpochMs } from '../../../shared/clock.ts'
import type { InvoiceKind } from '../../../shared/schemas/billing-invoice.ts'
import { type Interval, type PlanKey, type Terms, termsAtBoundary } from '../catalogue/index.ts'
import type { InvoiceLineRow } from '../invoices/index.ts'
import { boundary, INTERVAL_MONTHS, type Period, period } from '../periods.ts'
import { segmentShare } from '../prorate.ts'
import { standingAt } from '../standing.ts'
import type { SubscriptionChange } from './store.ts'
import { momentsOf, type SubscriptionRow } from './view.ts'

export interface Roll {
  /** The boundary, in tenant time. */
  at: EpochMs
  change: SubscriptionChange
  /** The month that begins; null where the subscription ends. */
  month: { ordinal: number; period: Period } | null
  /** Null where no month of usage is behind: a trial ended that is not paid on. */
  invoice: { kind: InvoiceKind; ordinal: number } | null
  /** The base price's period that begins; null in its middle. */
  base: Period | null
  /** A suspended subscription owes no base price until it is paid. */
  baseWaived: boolean
  /** Another tier comes into force. */
  isNewTier: boolean
  /** Other terms come into force, or the paid subscription begins. */
  isNewTerms: boolean
}

/** The next boundary that is not after `now`; null where none is due. */
export function nextRoll(row: SubscriptionRow, now: EpochMs): Roll | null {
  const { rollsAt: at, activeFrom } = row
  if (at === null || activeFrom === null || at > now) return null
  const isBegin = at === activeFrom
  const ordinal = isBegin ? 0 : row.ordinal + 1
  const { status } = standingAt(momentsOf(row), at)
  if (status === 'canceled') return endAt(at, isBegin ? null : ordinal)
  const isBase = isBegin || ordinal === row.baseOrdinal + INTERVAL_MONTHS[row.interval]
  const next = isBase ? termsFrom(row, at) : { terms: row.terms, interval: row.interval }
  const isNewTier = next.terms.plan !== row.terms.plan
  const tier = isNewTier ? { previousPlan: row.terms.plan } : {}
  const begun = isBase ? { baseOrdinal: ordinal, pendingPlan: null, pendingInterval: null } : {}
  const month = { ordinal, period: period(activeFrom, ordinal, 1) }
  return {
    at,
    change: { ...next, ...tier, ...begun, ordinal, rollsAt: month.period.until },
    month,
    invoice: { kind: 'period', ordinal },
    base: isBase ? basePeriod(activeFrom, ordinal, next.interval) : null,
    baseWaived: isBase && status === 'suspended',
    isNewTier,
    isNewTerms: isNewTier || isBegin || next.terms.version !== row.terms.version,
  }
}

function endAt(at: EpochMs, ordinal: number | null): Roll {
  return {
    at,
    change: { rollsAt: null, pendingPlan: null, pendingInterval: null },
    month: null,
    invoice: ordinal === null ? null : { kind: 'final', ordinal },
    ...{ base: null, baseWaived: false, isNewTier: false, isNewTerms: false },
  }
}

/** Terms of the base price's period that begins: those of the pending change, or newer ones. */
function termsFrom(row: SubscriptionRow, at: EpochMs): { terms: Terms; interval: Interval } {
  const plan: PlanKey = row.pendingPlan ?? row.terms.plan
  const interval = row.pendingInterval ?? row.interval
  if (plan === 'enterprise') return { terms: row.terms, interval }
  return { terms: termsAtBoundary(plan, { at, reached: catalogueOf(row) }), interval }
}

/** The version of the catalogue in force; null for terms of an agreement. */
export function catalogueOf({ terms: { plan, version } }: Pick<SubscriptionRow, 'terms'>) {
  return plan === 'enterprise' ? null : version
}

/** The base price's period that begins with this month. */
export function basePeriod(anchor: EpochMs, ordinal: number, interval: Interval): Period {
  const until = boundary(anchor, ordinal + INTERVAL_MONTHS[interval])
  return { from: boundary(anchor, ordinal), until }
}

/** The base price from `at` to the end of its period. */
export function baseLine(
  { terms, interval }: { terms: Terms; interval: Interval },
  { from, until }: Period,
  at: EpochMs = from,
): InvoiceLineRow {
  const rest = { fromMs: at - from, untilMs: until - from, widthMs: until - from }
  const amountCents = Number(segmentShare(BigInt(terms.baseCents[interval]), rest))
  const none = { meter: null, segmentId: null, quantity: null }
  return { kind: 'base', plan: terms.plan, ...none, fromAt: at, untilAt: until, amountCents }
}
