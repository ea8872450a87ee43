// Sets a subscription to end with its period, and takes that back. Spec 6.2.
import type { EpochMs } from '../../../shared/clock.ts'
import type { Subscription } from '../../../shared/schemas/billing-subscription.ts'
import type { Context } from '../../context.ts'
import type { TxSql } from '../../database/transaction.ts'
import { Refusal } from '../../http/refusal.ts'
import { requireState } from '../../write/move.ts'
import { write } from '../../write/write.ts'
import { type BillingPort, billingMoment, lockOwner, requireBilled } from '../require-billing.ts'
import { trialOverAt } from '../standing.ts'
import { lockRolled } from './apply-roll.ts'
import { recordSubscription } from './record.ts'
import { SUBSCRIPTION_MOVES } from './states.ts'
import { saveSubscription } from './store.ts'
import { basePeriodOf, hasRun, type SubscriptionRow, subscriptionStanding } from './view.ts'

/** A repeated cancellation changes nothing and has no event. */
export async function cancelSubscription(
  context: Context,
  port: BillingPort,
): Promise<Subscription> {
  const { now } = context
  return changeRunning(context, port, async (sql, held) => {
    if (held.cancelAtPeriodEnd) return recordSubscription(sql, held, [], now)
    const unset = { pendingPlan: null, pendingInterval: null }
    const change = { cancelAtPeriodEnd: true, endsAt: endOf(held, now), ...unset }
    const row = await saveSubscription(sql, held, change)
    return recordSubscription(sql, row, [SUBSCRIPTION_MOVES.cancel.event], now)
  })
}

/** Takes back the cancellation, and a change of plan that waits; without either nothing changes. */
export async function revertCancellation(
  context: Context,
  port: BillingPort,
): Promise<Subscription> {
  return changeRunning(context, port, async (sql, held) => {
    const unset = { pendingPlan: null, pendingInterval: null }
    const change = { cancelAtPeriodEnd: false, endsAt: null, ...unset }
    const isSet = held.cancelAtPeriodEnd || held.pendingPlan !== null
    const row = isSet ? await saveSubscription(sql, held, change) : held
    return recordSubscription(sql, row, [], context.now)
  })
}

async function changeRunning(
  context: Context,
  port: BillingPort,
  change: (sql: TxSql, held: SubscriptionRow) => Promise<Subscription>,
): Promise<Subscription> {
  const { principal, now } = context
  requireBilled(port, principal.environment)
  return write(context, async (sql) => {
    await lockOwner(sql, principal)
    const held = await lockRolled(sql, principal, billingMoment(context))
    const { status } = subscriptionStanding(held, now)
    requireState(status, SUBSCRIPTION_MOVES.cancel.from)
    // A subscription that an override holds open ends at its period's end too.
    if (held === null || hasRun(held)) throw new Refusal('invalid_state')
    return change(sql, held)
  })
}

/** The end of the base price's period; that of a trial which is not paid on, with its grace. */
function endOf(row: SubscriptionRow, now: EpochMs): EpochMs {
  const { trialEndsAt, activeFrom } = row
  if (trialEndsAt !== null && now < trialEndsAt) return trialEndsAt
  if (activeFrom === null && trialEndsAt !== null) return trialOverAt(trialEndsAt)
  const period = basePeriodOf(row)
  if (period === null) throw new Refusal('invalid_state')
  return period.until
}
