// An operator sets the state of a subscription for a while, whatever dunning computes, or lifts it.
// Spec 6.2, billing.dunning_state_overridden.
import type { EpochMs } from '../../../shared/clock.ts'
import type { OverrideState, Subscription } from '../../../shared/schemas/billing-subscription.ts'
import type { OperatorContext, Owner } from '../../context.ts'
import { Refusal } from '../../http/refusal.ts'
import { tenantTime } from '../../platform/tenants/index.ts'
import { requireState } from '../../write/move.ts'
import { write } from '../../write/write.ts'
import { auditOnTenant } from '../operator-audit.ts'
import { lockOwner, operatorMoment } from '../require-billing.ts'
import { lockRolled } from './apply-roll.ts'
import { recordSubscription } from './record.ts'
import { resumeBase } from './resume-base.ts'
import { resumePeriods } from './resume-periods.ts'
import { SUBSCRIPTION_MOVES } from './states.ts'
import { saveSubscription } from './store.ts'
import { hasRun, type SubscriptionRow, subscriptionStanding } from './view.ts'

/** Chosen: the longest override. */
const OVERRIDE_MS_MAX = 90 * 86_400_000

export interface Override {
  state: OverrideState
  reason: string
  /** Tenant time. */
  expiresAt: EpochMs
}

/**
 * Null lifts the override, without an event. The same state until the same end has no event either.
 * A base price that was waived resumes where the subscription is suspended no more; periods resume
 * where the override opens a subscription whose last boundary is behind. Refuses with 400 an end
 * that is past or over 90 days ahead by the tenant's clock, with 409 a subscription that ended and
 * owes nothing: there is no dunning that it could replace.
 */
export async function overrideDunning(
  context: OperatorContext,
  owner: Owner,
  override: Override | null,
): Promise<Subscription> {
  return write(context, async (sql) => {
    await lockOwner(sql, owner)
    const now = await tenantTime(sql, owner, context.now)
    requireEnd(override, now)
    const moment = operatorMoment(context, now)
    // A boundary behind this moment was passed by the state of its time.
    const held = await lockRolled(sql, owner, moment)
    const { status } = subscriptionStanding(held, now)
    requireState(status, SUBSCRIPTION_MOVES.override.from)
    if (held === null) throw new Refusal('invalid_state')
    if (override !== null && hasRun(held) && held.overdueSince === null)
      throw new Refusal('invalid_state', OVER)
    const changed = await saveSubscription(sql, held, {
      overrideState: override?.state ?? null,
      overrideReason: override?.reason ?? null,
      overrideExpiresAt: override?.expiresAt ?? null,
    })
    const going = await resumePeriods(sql, changed, moment)
    const row = await resumeBase(sql, going, { at: now, moment })
    const events = isNews(held, override) ? [SUBSCRIPTION_MOVES.override.event] : []
    const shown = await recordSubscription(sql, row, events, now)
    await auditOnTenant(sql, context, owner, row.id)
    return shown
  })
}

const OVER = { message: 'It ended and owes nothing: another subscription takes its place.' }

function isNews(held: SubscriptionRow, override: Override | null): boolean {
  if (override === null) return false
  const { overrideState, overrideExpiresAt } = held
  return overrideState !== override.state || overrideExpiresAt !== override.expiresAt
}

function requireEnd(override: Override | null, now: EpochMs): void {
  if (override === null) return
  const { expiresAt } = override
  if (expiresAt > now && expiresAt <= now + OVERRIDE_MS_MAX) return
  throw new Refusal('parameter_invalid', {
    param: 'expires_at',
    message: 'An override ends at a moment in the next 90 days.',
  })
}
