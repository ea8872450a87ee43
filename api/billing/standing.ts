// The status of a subscription: a pure function of its moments and of now. No timer moves it, so no
// stage is skipped when a clock jumps.
import type { EpochMs } from '../../shared/clock.ts'
import type {
  BillingStatus,
  OverrideState,
  StatusReason,
} from '../../shared/schemas/billing-subscription.ts'

const DAY_MS = 86_400_000
/** Spec 6.2: a trial of 30 days. */
export const TRIAL_MS = 30 * DAY_MS
/** Chosen: a trial that nobody continued is canceled this long after its end. */
const TRIAL_GRACE_MS = 30 * DAY_MS
/** Chosen: stages of dunning by the age of the oldest unpaid invoice. */
export const DUNNING_STAGES = [
  { afterMs: 60 * DAY_MS, status: 'canceled', reason: 'uncollectible' },
  { afterMs: 28 * DAY_MS, status: 'suspended', reason: 'payment_overdue' },
  { afterMs: 14 * DAY_MS, status: 'restricted', reason: 'payment_overdue' },
  { afterMs: 0, status: 'past_due', reason: 'payment_overdue' },
] as const

/** Moments of a subscription, in tenant time; null where the thing never happened. */
export interface StandingMoments {
  /** Null without a trial. */
  trialEndsAt: EpochMs | null
  /** The paid subscription begins; may be ahead. */
  activeFrom: EpochMs | null
  /** The oldest unpaid invoice became overdue: its first failed attempt, or its due date. */
  overdueSince: EpochMs | null
  /** A cancellation at the period's end takes effect. */
  endsAt: EpochMs | null
  /** Its last boundary is behind, because it was not paid: no later payment begins it again. */
  hasRun: boolean
  override: { state: OverrideState; expiresAt: EpochMs } | null
}

export interface Standing {
  status: BillingStatus
  reason: StatusReason | null
}

/**
 * The status at `now`; a moment that is `now` has happened. An override replaces every status of
 * dunning, also the last; a subscription that ended for another reason has no dunning.
 */
export function standingAt(moments: StandingMoments, now: EpochMs): Standing {
  const computed = computedAt(moments, now)
  const { override } = moments
  const isOver = computed.status === 'canceled' && computed.reason !== 'uncollectible'
  if (isOver || override === null || now >= override.expiresAt) return computed
  return { status: override.state, reason: 'overridden' }
}

function computedAt(moments: StandingMoments, now: EpochMs): Standing {
  const { trialEndsAt, activeFrom, overdueSince, endsAt, hasRun } = moments
  if (endsAt !== null && now >= endsAt) return { status: 'canceled', reason: 'requested' }
  const isPaid = activeFrom !== null && now >= activeFrom
  if (!isPaid) return trialStanding(trialEndsAt, now)
  if (hasRun) return { status: 'canceled', reason: 'uncollectible' }
  const overdueMs = overdueSince === null ? -1 : now - overdueSince
  const stage = DUNNING_STAGES.find(({ afterMs }) => overdueMs >= afterMs)
  if (stage === undefined) return { status: 'active', reason: null }
  return { status: stage.status, reason: stage.reason }
}

function trialStanding(trialEndsAt: EpochMs | null, now: EpochMs): Standing {
  if (trialEndsAt === null) return { status: 'none', reason: null }
  if (now < trialEndsAt) return { status: 'trialing', reason: null }
  const status = now < trialOverAt(trialEndsAt) ? 'restricted' : 'canceled'
  return { status, reason: 'trial_ended' }
}

/** The moment at which a trial that nobody continued is canceled. */
export function trialOverAt(trialEndsAt: EpochMs): EpochMs {
  return trialEndsAt + TRIAL_GRACE_MS
}

/** The next moment at which the status changes by itself; null where none is ahead. */
export function nextChangeAfter(moments: StandingMoments, now: EpochMs): EpochMs | null {
  const { trialEndsAt, activeFrom, overdueSince, endsAt, override } = moments
  const overdue = overdueSince ?? Number.POSITIVE_INFINITY
  const candidates = [
    trialEndsAt,
    trialEndsAt === null ? null : trialOverAt(trialEndsAt),
    activeFrom,
    endsAt,
    override?.expiresAt ?? null,
    ...DUNNING_STAGES.map(({ afterMs }) => overdue + afterMs),
  ]
  const ahead = candidates.filter(
    (moment): moment is number => moment !== null && Number.isFinite(moment) && moment > now,
  )
  return ahead.length === 0 ? null : Math.min(...ahead)
}
