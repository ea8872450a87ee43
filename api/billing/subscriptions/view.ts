// Only this module makes rows of subscriptions public.
import { type EpochMs, unixSeconds } from '../../../shared/clock.ts'
import type {
  Entitlements,
  OverrideState,
  Subscription,
} from '../../../shared/schemas/billing-subscription.ts'
import type { Environment } from '../../../shared/wire/config-records.ts'
import type { Entitled } from '../../platform/tenants/index.ts'
import type {
  AddonKey,
  Currency,
  Interval,
  PlanKey,
  SelfServePlan,
  Terms,
} from '../catalogue/index.ts'
import { boundary, INTERVAL_MONTHS, type Period } from '../periods.ts'
import { type Standing, type StandingMoments, standingAt } from '../standing.ts'

/** Every moment is in tenant time. */
export interface SubscriptionRow {
  id: string
  tenantId: string
  environment: Environment
  terms: Terms
  previousPlan: PlanKey | null
  interval: Interval
  currency: Currency
  /** Null: the payment method is charged; otherwise days until a sent invoice is due. */
  netDays: number | null
  trialStartedAt: EpochMs | null
  trialEndsAt: EpochMs | null
  activeFrom: EpochMs | null
  /** Number of the month of usage that runs, and of the first month of the base price's period. */
  ordinal: number
  baseOrdinal: number
  /** A change that waits for the end of the base price's period; both or none. */
  pendingPlan: SelfServePlan | null
  pendingInterval: Interval | null
  /** The next boundary; null once the last is behind, and in a trial that is not paid on. */
  rollsAt: EpochMs | null
  cancelAtPeriodEnd: boolean
  endsAt: EpochMs | null
  overdueSince: EpochMs | null
  overrideState: OverrideState | null
  overrideReason: string | null
  overrideExpiresAt: EpochMs | null
  creditCents: number
  endedAt: EpochMs | null
  createdAt: EpochMs
}

export function momentsOf(row: SubscriptionRow): StandingMoments {
  const { trialEndsAt, activeFrom, overdueSince, endsAt, overrideState, overrideExpiresAt } = row
  const isOverridden = overrideState !== null && overrideExpiresAt !== null
  const override = isOverridden ? { state: overrideState, expiresAt: overrideExpiresAt } : null
  return { trialEndsAt, activeFrom, overdueSince, endsAt, hasRun: hasRun(row), override }
}

export function subscriptionStanding(row: SubscriptionRow | null, now: EpochMs): Standing {
  return row === null ? { status: 'none', reason: null } : standingAt(momentsOf(row), now)
}

/** The period that the base price covers; null before the paid subscription is made. */
export function basePeriodOf(row: SubscriptionRow): Period | null {
  const { activeFrom, baseOrdinal, interval } = row
  if (activeFrom === null) return null
  const until = boundary(activeFrom, baseOrdinal + INTERVAL_MONTHS[interval])
  return { from: boundary(activeFrom, baseOrdinal), until }
}

/** True once the last boundary is behind: no month of it runs, whatever its status. */
export function hasRun({ activeFrom, rollsAt }: SubscriptionRow): boolean {
  return activeFrom !== null && rollsAt === null
}

/**
 * True where another subscription takes its place: it was canceled, though an override may hide
 * that nobody paid and keep its periods running.
 */
export function isOver(row: SubscriptionRow, now: EpochMs): boolean {
  return standingAt({ ...momentsOf(row), override: null }, now).status === 'canceled'
}

/** The month of usage that runs; null before the paid subscription is made. */
function usagePeriodOf({ activeFrom, ordinal }: SubscriptionRow): Period | null {
  if (activeFrom === null) return null
  return { from: boundary(activeFrom, ordinal), until: boundary(activeFrom, ordinal + 1) }
}

const NO_SUBSCRIPTION = {
  ...{ id: null, created: null, plan: null, previous_plan: null, interval: null, currency: null },
  ...{ trial: null, current_period: null, base_period: null, cancel_at_period_end: false },
  ...{ collection: null, overdue_since: null, dunning_override: null, credit_cents: 0 },
  pending_change: null,
}

export interface ShownWith {
  environment: Environment
  /** Add-ons that are enabled. */
  addons: readonly AddonKey[]
  /** Tenant time. */
  now: EpochMs
}

export function subscriptionView(
  row: SubscriptionRow | null,
  { environment, addons, now }: ShownWith,
): Subscription {
  const { status, reason } = subscriptionStanding(row, now)
  const same = {
    object: 'subscription' as const,
    livemode: environment === 'live',
    status,
    status_reason: reason,
    addons: [...addons],
  }
  if (row === null) return { ...same, ...NO_SUBSCRIPTION }
  const { trialStartedAt, trialEndsAt, netDays } = row
  const trial =
    trialStartedAt === null || trialEndsAt === null
      ? null
      : { from: trialStartedAt, until: trialEndsAt }
  return {
    ...same,
    id: row.id,
    created: unixSeconds(row.createdAt),
    plan: { key: row.terms.plan, version: row.terms.version },
    previous_plan: row.previousPlan,
    interval: row.interval,
    currency: row.currency,
    trial: periodView(trial),
    current_period: periodView(usagePeriodOf(row)),
    base_period: periodView(basePeriodOf(row)),
    cancel_at_period_end: row.cancelAtPeriodEnd,
    pending_change: pendingView(row),
    collection: {
      method: netDays === null ? 'charge_automatically' : 'send_invoice',
      net_days: netDays,
    },
    overdue_since: row.overdueSince === null ? null : unixSeconds(row.overdueSince),
    dunning_override: overrideView(row, now),
    credit_cents: row.creditCents,
  }
}

function periodView(period: Period | null): { from: number; until: number } | null {
  if (period === null) return null
  return { from: unixSeconds(period.from), until: unixSeconds(period.until) }
}

/** A change waits for the base price's period to end, or for the trial. */
function pendingView(row: SubscriptionRow): Subscription['pending_change'] {
  const { pendingPlan: plan, pendingInterval: interval, activeFrom, rollsAt } = row
  const isAhead = rollsAt !== null && rollsAt === activeFrom
  const at = isAhead ? rollsAt : basePeriodOf(row)?.until
  if (plan === null || interval === null || at === undefined) return null
  return { plan, interval, at: unixSeconds(at) }
}

function overrideView(
  { overrideState: state, overrideReason: reason, overrideExpiresAt: until }: SubscriptionRow,
  now: EpochMs,
): Subscription['dunning_override'] {
  if (state === null || until === null || until <= now) return null
  return { state, reason: reason ?? '', expires_at: unixSeconds(until) }
}

export function entitlementsView(entitled: Entitled, environment: Environment): Entitlements {
  return {
    object: 'entitlements',
    livemode: environment === 'live',
    status: entitled.status,
    issuing: entitled.issuing,
    authorizations: entitled.authorizations,
    realtime: entitled.realtime,
    rate_factor: entitled.rateFactor,
    endpoints_max: entitled.endpointsMax,
    addons: [...entitled.addons],
    caps: entitled.caps ?? { cards_issued: null, passes_issued: null, identity_checks: null },
  }
}
