// The endpoints of the subscription, its add-ons and its entitlements. Every change needs an
// admin's key and a person's approval.
import { Type } from '../../../shared/schema-builders.ts'
import { InvoicePreview } from '../../../shared/schemas/billing-preview.ts'
import {
  Addon,
  Addons,
  Entitlements,
  Subscription,
} from '../../../shared/schemas/billing-subscription.ts'
import { BillingPlans } from '../../../shared/schemas/billing-terms.ts'
import { BillingUsage } from '../../../shared/schemas/billing-usage.ts'
import { described } from '../../../shared/schemas/described.ts'
import { closed, type Route, route } from '../../http/route.ts'
import { ADDON_KEYS, CURRENCIES, INTERVALS, PLAN_KEYS } from '../catalogue/index.ts'
import type { BillingPort } from '../require-billing.ts'
import { cancelSubscription, revertCancellation } from './cancel.ts'
import { changeSubscription } from './change.ts'
import { previewInvoice } from './preview.ts'
import type { ChangeInput } from './price-change.ts'
import { readAddons, readEntitlements, readPlans, readSubscription } from './read.ts'
import { readUsage } from './read-usage.ts'
import { startTrial } from './start-trial.ts'
import { subscribe } from './subscribe.ts'
import { toggleAddon } from './toggle-addon.ts'

const PlanKey = Type.Enum(['starter', 'growth'])
/** Chosen: an enterprise plan is refused by name, not as unknown. */
const AnyPlan = Type.Enum([...PLAN_KEYS])
const IntervalField = Type.Enum([...INTERVALS])
const EffectiveField = Type.Enum(['now', 'period_end'])

/** The part of a change of plan that its preview takes too. */
const WANTED_CHANGE = {
  interval: described(
    Type.Optional(IntervalField),
    'The wanted interval; absent: the one in force.',
  ),
  effective: described(
    Type.Optional(EffectiveField),
    'When it holds; absent: upgrades now, downgrades at the end of the period.',
  ),
}

function changeInput(asked: Partial<ChangeInput>): ChangeInput {
  const { plan = null, interval = null, effective = null } = asked
  return { plan, interval, effective }
}

const READS: readonly Route<BillingPort>[] = [
  route({
    method: 'GET',
    paths: ['/v1/billing/plans'],
    summary: 'Lists the plans that you can choose, with their prices.',
    scope: 'read',
    answer: BillingPlans,
    run: (context) => readPlans(context),
  }),
  route({
    method: 'GET',
    paths: ['/v1/billing/subscription'],
    summary: 'Shows your subscription; its status is none where you have none.',
    scope: 'read',
    answer: Subscription,
    run: (context) => readSubscription(context),
  }),
  route({
    method: 'GET',
    paths: ['/v1/billing/usage'],
    summary: 'Shows the counted usage of a month with its price so far.',
    scope: 'read',
    absent: true,
    query: closed({
      month: described(
        Type.Optional(Type.Integer({ minimum: 0, maximum: 10_000 })),
        'Number of the month within the subscription; absent: the month that runs.',
      ),
    }),
    answer: BillingUsage,
    run: (context, { query }) => readUsage(context, query.month),
  }),
  route({
    method: 'GET',
    paths: ['/v1/billing/invoice_preview'],
    summary: 'Shows what a change of plan would cost; stores nothing.',
    scope: 'read',
    query: closed({
      plan: described(
        Type.Optional(AnyPlan),
        'The wanted plan; absent: the one in force, or the lowest.',
      ),
      ...WANTED_CHANGE,
    }),
    answer: InvoicePreview,
    run: (context, { query }) => previewInvoice(context, changeInput(query)),
  }),
  route({
    method: 'GET',
    paths: ['/v1/billing/entitlements'],
    summary: 'Shows what your plan and its status allow.',
    scope: 'read',
    answer: Entitlements,
    run: (context, _input, port: BillingPort) => readEntitlements(context, port),
  }),
  route({
    method: 'GET',
    paths: ['/v1/billing/addons'],
    summary: 'Lists the add-ons, enabled or not.',
    scope: 'read',
    answer: Addons,
    run: (context) => readAddons(context),
  }),
]

export const subscriptionRoutes: readonly Route<BillingPort>[] = [
  ...READS,
  route({
    method: 'POST',
    paths: ['/v1/billing/trial'],
    summary: 'Starts your trial of 30 days: a plan with caps, without a charge.',
    scope: 'admin',
    entitled: 'always',
    status: 201,
    factor: 'Start the trial of a plan.',
    body: closed({
      plan: described(PlanKey, 'The plan to try.'),
    }),
    answer: Subscription,
    run: (context, { body }, port: BillingPort) => startTrial(context, body.plan, port),
  }),
  route({
    method: 'POST',
    paths: ['/v1/billing/subscription'],
    summary: 'Makes your paid subscription, now or at the end of the trial.',
    scope: 'admin',
    entitled: 'always',
    status: 201,
    factor: 'Subscribe to a plan, which is charged.',
    body: closed({
      plan: described(AnyPlan, 'The plan.'),
      interval: described(IntervalField, 'The interval of the base price.'),
      currency: described(
        Type.Enum([...CURRENCIES]),
        'The currency of every invoice from now on, ISO 4217.',
      ),
      starts: described(
        Type.Optional(Type.Enum(['now', 'trial_end'])),
        'trial_end charges nothing before the trial is over.',
      ),
    }),
    answer: Subscription,
    run: (context, { body }, port: BillingPort) =>
      subscribe(context, { ...body, starts: body.starts ?? 'now' }, port),
  }),
  route({
    method: 'PATCH',
    paths: ['/v1/billing/subscription'],
    summary: 'Changes the plan or its interval, now or at the end of the period.',
    entitled: 'always',
    scope: 'admin',
    factor: 'Change the plan of the subscription.',
    body: closed({
      plan: described(Type.Optional(AnyPlan), 'The wanted plan; absent: the one in force.'),
      ...WANTED_CHANGE,
      prorate_at: described(
        Type.Optional(Type.Integer({ minimum: 0, maximum: 8_640_000_000_000 })),
        'The moment that the preview named, at most an hour old; absent: now. Unix seconds.',
      ),
    }),
    answer: Subscription,
    run: (context, { body }, port: BillingPort) =>
      changeSubscription(
        context,
        { ...changeInput(body), prorateAt: body.prorate_at ?? null },
        port,
      ),
  }),
  route({
    method: 'POST',
    paths: ['/v1/billing/subscription/cancel'],
    summary: 'Sets your subscription to end with its period.',
    scope: 'admin',
    entitled: 'always',
    factor: 'Cancel the subscription at the end of its period.',
    answer: Subscription,
    run: (context, _input, port: BillingPort) => cancelSubscription(context, port),
  }),
  route({
    method: 'POST',
    paths: ['/v1/billing/subscription/revert'],
    summary: 'Takes a cancellation back before it takes effect.',
    scope: 'admin',
    entitled: 'always',
    factor: 'Continue the subscription after the end of its period.',
    answer: Subscription,
    run: (context, _input, port: BillingPort) => revertCancellation(context, port),
  }),
  ...ADDON_KEYS.map((key) =>
    route({
      method: 'PUT',
      paths: ['/v1/billing/addons/' + key],
      summary: 'Enables or disables the add-on ' + key + ', which is charged by the unit.',
      scope: 'admin',
      entitled: 'always',
      factor: 'Enable or disable a metered add-on.',
      body: closed({
        enabled: described(Type.Boolean(), 'Whether the add-on may be used from now on.'),
      }),
      answer: Addon,
      run: (context, { body }, port: BillingPort) =>
        toggleAddon(context, { key, enabled: body.enabled }, port),
    }),
  ),
]
