// The subscription of a tenant in one environment, its add-ons and its entitlements.
import { type Static, Type } from 'typebox'

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

export const STATUS_REASONS = [
  'trial_ended',
  'payment_overdue',
  'uncollectible',
  'requested',
  'overridden',
] as const
export type StatusReason = (typeof STATUS_REASONS)[number]

/** States that an operator may set for a while. */
export const OVERRIDE_STATES = ['active', 'past_due', 'restricted', 'suspended'] as const
export type OverrideState = (typeof OVERRIDE_STATES)[number]

const orNull = <Schema extends Parameters<typeof Type.Union>[0][number]>(schema: Schema) =>
  Type.Union([schema, Type.Null()])

/** A stretch of time in Unix seconds; `until` does not belong to it. */
const BillingPeriod = Type.Object({
  /** The beginning, Unix seconds. */
  from: Type.Integer(),
  /** The end, Unix seconds. */
  until: Type.Integer(),
})

export const Subscription = Type.Object({
  /** Null where there is no subscription. */
  id: orNull(Type.String()),
  object: Type.Literal('subscription'),
  created: orNull(Type.Integer()),
  livemode: Type.Boolean(),
  /** The entitlements follow from the status; `none` without a subscription. */
  status: Type.Enum([...BILLING_STATUSES]),
  /** The reason of a status other than `trialing`, `active` and `none`. */
  status_reason: orNull(Type.Enum([...STATUS_REASONS])),
  /** The plan in force. */
  plan: orNull(
    Type.Object({
      /** The plan. */
      key: Type.Enum(['starter', 'growth', 'enterprise']),
      /** Date of the catalogue, or the contract of an enterprise plan. */
      version: Type.String(),
    }),
  ),
  /** The plan before the latest change of tier. */
  previous_plan: orNull(Type.Enum(['starter', 'growth', 'enterprise'])),
  /** Interval of the base price. */
  interval: orNull(Type.Enum(['month', 'year'])),
  /** Currency of every amount, ISO 4217. */
  currency: orNull(Type.Enum(['USD', 'EUR'])),
  /** The trial; null without one. */
  trial: orNull(BillingPeriod),
  /** The period in which usage is counted now: a month. */
  current_period: orNull(BillingPeriod),
  /** The period that the base price covers: a month or a year. */
  base_period: orNull(BillingPeriod),
  /** The subscription ends with its period. */
  cancel_at_period_end: Type.Boolean(),
  /** A change of plan that waits for the end of the base price’s period; null without one. */
  pending_change: orNull(
    Type.Object({
      /** The plan that comes into force. */
      plan: Type.Enum(['starter', 'growth']),
      /** The interval that comes into force. */
      interval: Type.Enum(['month', 'year']),
      /** When it comes into force, Unix seconds. */
      at: Type.Integer(),
    }),
  ),
  /** Add-ons that are enabled. */
  addons: Type.Array(Type.String()),
  /** The way invoices are paid. */
  collection: orNull(
    Type.Object({
      /** Whether the payment method is charged, or an invoice is sent. */
      method: Type.Enum(['charge_automatically', 'send_invoice']),
      /** Days from a sent invoice to its due date. */
      net_days: orNull(Type.Integer()),
    }),
  ),
  /** Since when the oldest unpaid invoice is overdue, Unix seconds. */
  overdue_since: orNull(Type.Integer()),
  /** The state that an operator set for a while. */
  dunning_override: orNull(
    Type.Object({
      /** The state that replaces the computed status. */
      state: Type.Enum([...OVERRIDE_STATES]),
      /** The reason that the operator gave. */
      reason: Type.String(),
      /** When the computed status holds again, Unix seconds. */
      expires_at: Type.Integer(),
    }),
  ),
  /** Credit on later invoices; negative where a small total was carried on. */
  credit_cents: Type.Integer(),
})
export type Subscription = Static<typeof Subscription>

export const Addon = Type.Object({
  /** The key of the add-on. */
  id: Type.Enum(['identity_checks', 'physical_cards']),
  object: Type.Literal('billing_addon'),
  livemode: Type.Boolean(),
  /** Whether the add-on may be used; its usage is charged by the unit. */
  enabled: Type.Boolean(),
  /** When it was enabled or disabled last, Unix seconds. */
  changed_at: orNull(Type.Integer()),
})
export type Addon = Static<typeof Addon>

export const Addons = Type.Object({
  /** Every add-on there is. */
  data: Type.Array(Addon),
})

const Cap = orNull(Type.Integer())

export const Entitlements = Type.Object({
  object: Type.Literal('entitlements'),
  livemode: Type.Boolean(),
  /** The status of the subscription, from which the entitlements follow. */
  status: Type.Enum([...BILLING_STATUSES]),
  /** Cards, passes, programs and templates may be made. */
  issuing: Type.Boolean(),
  /** New authorizations are decided; otherwise they are declined. */
  authorizations: Type.Boolean(),
  /** Real-time authorization belongs to the plan. */
  realtime: Type.Boolean(),
  /** Factor of the rate limits. */
  rate_factor: Type.Integer(),
  /** The largest number of webhook endpoints. */
  endpoints_max: orNull(Type.Integer()),
  /** Add-ons that may be used. */
  addons: Type.Array(Type.String()),
  /** The most that a trial makes; null without a bound. */
  caps: Type.Object({
    /** Cards. */
    cards_issued: Cap,
    /** Passes. */
    passes_issued: Cap,
    /** Identity checks. */
    identity_checks: Cap,
  }),
})
export type Entitlements = Static<typeof Entitlements>

/** Billing of a tenant as operators see it. */
export const TenantBilling = Type.Object({
  /** The tenant. */
  id: Type.String(),
  object: Type.Literal('tenant_billing'),
  /** Whether a processor is configured for the environment: without one nothing is billed. */
  billed: Type.Boolean(),
  /** The subscription as the tenant sees it. */
  subscription: Subscription,
  /** The permissions of the tenant. */
  entitlements: Entitlements,
  /** The tenant’s clock of the environment, Unix seconds. */
  now: Type.Integer(),
})
export type TenantBilling = Static<typeof TenantBilling>
