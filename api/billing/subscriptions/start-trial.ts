// Starts the trial of a tenant: 30 days with the plan's entitlements, capped and free. Spec 6.2.
import type { Subscription } from '../../../shared/schemas/billing-subscription.ts'
import type { Context } from '../../context.ts'
import { Refusal } from '../../http/refusal.ts'
import { requireState } from '../../write/move.ts'
import { write } from '../../write/write.ts'
import { type SelfServePlan, termsAt } from '../catalogue/index.ts'
import { lockCursor, openSegment, uncountedFrom } from '../metering/index.ts'
import { type BillingPort, billingMoment, lockBuyer, requireBilled } from '../require-billing.ts'
import { TRIAL_MS } from '../standing.ts'
import { lockRolled } from './apply-roll.ts'
import { endSubscription } from './end.ts'
import { recordSubscription } from './record.ts'
import { SUBSCRIPTION_MOVES } from './states.ts'
import { hadTrial, insertSubscription } from './store.ts'
import { subscriptionStanding } from './view.ts'

/** Chosen: terms of a subscription that is not paid for yet. */
const UNPAID = {
  interval: 'month',
  currency: 'USD',
  netDays: null,
  activeFrom: null,
  rollsAt: null,
} as const

/** Refuses with 409 a second trial; in the sandbox a wipe allows another. */
export async function startTrial(
  context: Context,
  plan: SelfServePlan,
  port: BillingPort,
): Promise<Subscription> {
  const { principal, now } = context
  requireBilled(port, principal.environment)
  return write(context, async (sql) => {
    await lockBuyer(sql, principal)
    const held = await lockRolled(sql, principal, billingMoment(context))
    requireState(subscriptionStanding(held, now).status, SUBSCRIPTION_MOVES.startTrial.from)
    if (await hadTrial(sql, principal)) throw new Refusal('trial_used')
    const counted = await lockCursor(sql, principal)
    const countsFrom = uncountedFrom(counted, now)
    if (held !== null) await endSubscription(sql, held, billingMoment(context))
    const row = await insertSubscription(sql, principal, {
      ...{ id: context.newId('sub'), terms: termsAt(plan, now), ...UNPAID },
      ...{ trialStartedAt: now, trialEndsAt: now + TRIAL_MS, createdAt: now },
    })
    await openSegment(sql, principal, {
      ...{ subscriptionId: row.id, month: null, fromAt: now, untilAt: now + TRIAL_MS, countsFrom },
      ...{ terms: row.terms, interval: row.interval },
    })
    return recordSubscription(sql, row, [SUBSCRIPTION_MOVES.startTrial.event], now)
  })
}
