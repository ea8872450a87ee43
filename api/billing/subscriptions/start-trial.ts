// Starts the trial of a tenant: 30 days with the plan's entitlements, capped and free. Spec 6.2.
import type { Subscription } from '../../../shared/schemas/billing-subscription.ts'
import type { Context } from '../../context.ts'
import { Refusal } from '../../http/refusal.ts'
import { requireState } from '../../write/move.ts'
import { write } from '../../write/write.ts'
import { type SelfServePlan, termsAt } from '../catalogue/index.ts'
import { type BillingPort, lockBuyer, requireBilled } from '../require-billing.ts'
import { TRIAL_MS } from '../standing.ts'
import { recordSubscription } from './record.ts'
import { SUBSCRIPTION_MOVES } from './states.ts'
import { hadTrial, insertSubscription, lockSubscription, saveSubscription } from './store.ts'
import { subscriptionStanding } from './view.ts'

/** Chosen: terms of a subscription that is not paid for yet. */
const UNPAID = { interval: 'month', currency: 'USD', netDays: null, activeFrom: null } as const

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
    const held = await lockSubscription(sql, principal)
    requireState(subscriptionStanding(held, now).status, SUBSCRIPTION_MOVES.startTrial.from)
    if (await hadTrial(sql, principal)) throw new Refusal('trial_used')
    if (held !== null) await saveSubscription(sql, held, { endedAt: now })
    const row = await insertSubscription(sql, principal, {
      ...{ id: context.newId('sub'), terms: termsAt(plan, now), ...UNPAID },
      ...{ trialStartedAt: now, trialEndsAt: now + TRIAL_MS, createdAt: now },
    })
    return recordSubscription(sql, row, [SUBSCRIPTION_MOVES.startTrial.event], now)
  })
}
