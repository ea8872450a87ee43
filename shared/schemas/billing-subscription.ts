// The subscription of a tenant in one environment, its add-ons and its entitlements.
import type { Static } from 'typebox'
import type { BILLING_REASON_REFERENCE } from '../payment-reference.ts'
import { Type } from '../schema-builders.ts'
import { described } from './described.ts'
import { BILLING_STATUS_REASON } from './explained.ts'

export const BILLING_STATUSES = [
  'none',
  'trialing',
  'active',
  'past_due',
  'restricted',
  'suspended',
  'canceled',
] as const
export type BillingStatus = (typeof BILLING_STATUSES)[number]

export type StatusReason = keyof typeof BILLING_REASON_REFERENCE

/** States that an operator may set for a while. */
export const OVERRIDE_STATES = ['active', 'past_due', 'restricted', 'suspended'] as const
export type OverrideState = (typeof OVERRIDE_STATES)[number]

const orNull = <Schema extends Parameters<typeof Type.Union>[0][number]>(schema: Schema) =>
  Type.Union([schema, Type.Null()])

/** A stretch of time in Unix seconds; `until` does not belong to it. */
const BillingPeriod = Type.Object({
  from: described(Type.Integer(), 'The beginning, Unix seconds.'),
  until: described(Type.Integer(), 'The end, Unix seconds.'),
})

export const Subscription = Type.Object({
  id: described(orNull(Type.String()), 'Null where there is no subscription.'),
  object: Type.Literal('subscription'),
  created: orNull(Type.Integer()),
  livemode: Type.Boolean(),
  status: described(
    Type.Enum([...BILLING_STATUSES]),
    'The entitlements follow from the status; none without a subscription.',
  ),
  status_reason: described(
    orNull(BILLING_STATUS_REASON),
    'The reason of a status other than trialing, active and none.',
  ),
  plan: described(
    orNull(
      Type.Object({
        key: described(Type.Enum(['starter', 'growth', 'enterprise']), 'The plan.'),
        version: described(
          Type.String(),
          'Date of the catalogue, or the contract of an enterprise plan.',
        ),
      }),
    ),
    'The plan in force.',
  ),
  previous_plan: described(
    orNull(Type.Enum(['starter', 'growth', 'enterprise'])),
    'The plan before the latest change of tier.',
  ),
  interval: described(orNull(Type.Enum(['month', 'year'])), 'Interval of the base price.'),
  currency: described(orNull(Type.Enum(['USD', 'EUR'])), 'Currency of every amount, ISO 4217.'),
  trial: described(orNull(BillingPeriod), 'The trial; null without one.'),
  current_period: described(
    orNull(BillingPeriod),
    'The period in which usage is counted now: a month.',
  ),
  base_period: described(
    orNull(BillingPeriod),
    'The period that the base price covers: a month or a year.',
  ),
  cancel_at_period_end: described(Type.Boolean(), 'The subscription ends with its period.'),
  pending_change: described(
    orNull(
      Type.Object({
        plan: described(Type.Enum(['starter', 'growth']), 'The plan that comes into force.'),
        interval: described(Type.Enum(['month', 'year']), 'The interval that comes into force.'),
        at: described(Type.Integer(), 'When it comes into force, Unix seconds.'),
      }),
    ),
    'A change of plan that waits for the end of the base price’s period; null without one.',
  ),
  addons: described(Type.Array(Type.String()), 'Add-ons that are enabled.'),
  collection: described(
    orNull(
      Type.Object({
        method: described(
          Type.Enum(['charge_automatically', 'send_invoice']),
          'Whether the payment method is charged, or an invoice is sent.',
        ),
        net_days: described(orNull(Type.Integer()), 'Days from a sent invoice to its due date.'),
      }),
    ),
    'The way invoices are paid.',
  ),
  overdue_since: described(
    orNull(Type.Integer()),
    'Since when the oldest unpaid invoice is overdue, Unix seconds.',
  ),
  dunning_override: described(
    orNull(
      Type.Object({
        state: described(
          Type.Enum([...OVERRIDE_STATES]),
          'The state that replaces the computed status.',
        ),
        reason: described(Type.String(), 'The reason that the operator gave.'),
        expires_at: described(
          Type.Integer(),
          'When the computed status holds again, Unix seconds.',
        ),
      }),
    ),
    'The state that an operator set for a while.',
  ),
  credit_cents: described(
    Type.Integer(),
    'Credit on later invoices; negative where a small total was carried on.',
  ),
})
export type Subscription = Static<typeof Subscription>

export const Addon = Type.Object({
  id: described(Type.Enum(['identity_checks', 'physical_cards']), 'The key of the add-on.'),
  object: Type.Literal('billing_addon'),
  livemode: Type.Boolean(),
  enabled: described(
    Type.Boolean(),
    'Whether the add-on may be used; its usage is charged by the unit.',
  ),
  changed_at: described(
    orNull(Type.Integer()),
    'When it was enabled or disabled last, Unix seconds.',
  ),
})
export type Addon = Static<typeof Addon>

export const Addons = Type.Object({
  data: described(Type.Array(Addon), 'Every add-on there is.'),
})

const Cap = orNull(Type.Integer())

export const Entitlements = Type.Object({
  object: Type.Literal('entitlements'),
  livemode: Type.Boolean(),
  status: described(
    Type.Enum([...BILLING_STATUSES]),
    'The status of the subscription, from which the entitlements follow.',
  ),
  issuing: described(Type.Boolean(), 'Cards, passes, programs and templates may be made.'),
  authorizations: described(
    Type.Boolean(),
    'New authorizations are decided; otherwise they are declined.',
  ),
  realtime: described(Type.Boolean(), 'Real-time authorization belongs to the plan.'),
  rate_factor: described(Type.Integer(), 'Factor of the rate limits.'),
  endpoints_max: described(orNull(Type.Integer()), 'The largest number of webhook endpoints.'),
  addons: described(Type.Array(Type.String()), 'Add-ons that may be used.'),
  caps: described(
    Type.Object({
      cards_issued: described(Cap, 'Cards.'),
      passes_issued: described(Cap, 'Passes.'),
      identity_checks: described(Cap, 'Identity checks.'),
    }),
    'The most that a trial makes; null without a bound.',
  ),
})
export type Entitlements = Static<typeof Entitlements>

/** Billing of a tenant as operators see it. */
export const TenantBilling = Type.Object({
  id: described(Type.String(), 'The tenant.'),
  object: Type.Literal('tenant_billing'),
  billed: described(
    Type.Boolean(),
    'Whether a processor is configured for the environment: without one nothing is billed.',
  ),
  subscription: described(Subscription, 'The subscription as the tenant sees it.'),
  entitlements: described(Entitlements, 'The permissions of the tenant.'),
  now: described(Type.Integer(), 'The tenant’s clock of the environment, Unix seconds.'),
})
export type TenantBilling = Static<typeof TenantBilling>
