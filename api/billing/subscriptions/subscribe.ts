// Makes the paid subscription: at once, or at the end of the trial. Spec 6.2, billing.plan_changed.
import type { EventType } from '../../../shared/event-catalog.ts'
import type { BillingStatus, Subscription } from '../../../shared/schemas/billing-subscription.ts'
import type { Context } from '../../context.ts'
import type { TxSql } from '../../database/transaction.ts'
import { Refusal } from '../../http/refusal.ts'
import { write } from '../../write/write.ts'
import { type Currency, type Interval, type PlanKey, termsAt } from '../catalogue/index.ts'
import { invoicedCurrency } from '../invoices/index.ts'
import {
  type BillingMoment,
  type BillingPort,
  billingMoment,
  lockBuyer,
  requireBilled,
} from '../require-billing.ts'
import { beginPaid, lockRolled } from './apply-roll.ts'
import { endSubscription } from './end.ts'
import { isSelfServe } from './price-change.ts'
import { recordSubscription } from './record.ts'
import { PLAN_CHANGED, SUBSCRIPTION_MOVES } from './states.ts'
import { hasPaymentMethod, insertSubscription, saveSubscription } from './store.ts'
import { isOver, type SubscriptionRow, subscriptionStanding } from './view.ts'

export interface SubscribeInput {
  plan: PlanKey
  interval: Interval
  currency: Currency
  /** At the end of the trial, which then runs; otherwise now. */
  starts: 'now' | 'trial_end'
}

/**
 * Refuses with 409 a tenant without a payment method, another currency than that of its invoices,
 * and a subscription that is paid already; with 403 an enterprise plan.
 */
export async function subscribe(
  context: Context,
  input: SubscribeInput,
  port: BillingPort,
): Promise<Subscription> {
  const { principal, now } = context
  requireBilled(port, principal.environment)
  return write(context, async (sql) => {
    await lockBuyer(sql, principal)
    const moment = billingMoment(context)
    const held = await lockRolled(sql, principal, moment)
    const { status } = subscriptionStanding(held, now)
    const isReplaced = held === null || isOver(held, now)
    // An override of a trial does not keep its tenant from paying.
    const isUnpaid = isReplaced || held.activeFrom === null
    if (!isUnpaid) throw new Refusal('invalid_state', { extra: statuses(status) })
    if (!isSelfServe(input.plan)) throw new Refusal('feature_not_enabled')
    if (input.starts === 'trial_end' && status !== 'trialing')
      throw new Refusal('invalid_state', { extra: { current_status: status } })
    const currency = await invoicedCurrency(sql, principal)
    if (currency !== null && currency !== input.currency)
      throw new Refusal('invalid_state', { message: 'Your invoices are in ' + currency + '.' })
    if (!(await hasPaymentMethod(sql, principal))) throw new Refusal('payment_method_required')
    const kept = isReplaced ? null : held
    if (held !== null && kept === null) await endSubscription(sql, held, moment)
    const row = await put(sql, principal, { kept, input, moment })
    const isNewTier = kept === null || row.terms.plan !== kept.terms.plan
    const events: EventType[] = isNewTier ? [PLAN_CHANGED] : []
    return recordSubscription(sql, row, events, now)
  })
}

function statuses(current_status: BillingStatus) {
  return { current_status, allowed_from: [...SUBSCRIPTION_MOVES.subscribe.from] }
}

interface Put {
  /** The trial that is paid on; null makes a subscription. */
  kept: SubscriptionRow | null
  input: SubscribeInput
  moment: BillingMoment
}

async function put(
  sql: TxSql,
  owner: Context['principal'],
  { kept, input, moment }: Put,
): Promise<SubscriptionRow> {
  const { interval, currency, starts, plan } = input
  if (!isSelfServe(plan)) throw new Refusal('feature_not_enabled')
  const { now, newId } = moment
  const terms = termsAt(plan, now)
  if (kept === null) {
    const made = await insertSubscription(sql, owner, {
      ...{ id: newId('sub'), terms, interval, currency, netDays: null, activeFrom: now },
      ...{ rollsAt: null, trialStartedAt: null, trialEndsAt: null, createdAt: now },
    })
    return beginPaid(sql, made, { change: {}, moment })
  }
  const uncanceled = { cancelAtPeriodEnd: false, endsAt: null, currency }
  if (starts === 'trial_end') {
    const begins = { activeFrom: kept.trialEndsAt, rollsAt: kept.trialEndsAt }
    const waiting = { pendingPlan: plan, pendingInterval: interval }
    return saveSubscription(sql, kept, { ...uncanceled, ...begins, ...waiting })
  }
  const isNewTier = terms.plan !== kept.terms.plan
  const tier = isNewTier ? { previousPlan: kept.terms.plan } : {}
  const change = { ...uncanceled, ...tier, terms, interval }
  return beginPaid(sql, kept, { change, moment })
}
