// Every SQL statement about subscriptions. Each names the owner.
import { assert } from '../../../shared/assert.ts'
import type { EpochMs } from '../../../shared/clock.ts'
import type { Owner } from '../../context.ts'
import type { Fragment } from '../../database/page.ts'
import type { SqlTag } from '../../database/pool.ts'
import type { TxSql } from '../../database/transaction.ts'
import type { SubscriptionRow } from './view.ts'

function subscriptionColumns(sql: SqlTag): Fragment {
  return sql`
    id, tenant_id as "tenantId", environment, terms, previous_plan as "previousPlan",
    billing_interval as "interval", currency, net_days as "netDays",
    trial_started_at as "trialStartedAt", trial_ends_at as "trialEndsAt",
    active_from as "activeFrom", ordinal, base_ordinal as "baseOrdinal",
    pending_plan as "pendingPlan", pending_interval as "pendingInterval", rolls_at as "rollsAt",
    cancel_at_period_end as "cancelAtPeriodEnd", ends_at as "endsAt",
    overdue_since as "overdueSince", override_state as "overrideState",
    override_reason as "overrideReason", override_expires_at as "overrideExpiresAt",
    credit_cents as "creditCents", ended_at as "endedAt", created_at as "createdAt"`
}

/** The subscription that no other one has replaced. */
export async function findSubscription(sql: SqlTag, owner: Owner): Promise<SubscriptionRow | null> {
  const [row] = await sql<SubscriptionRow[]>`
    select ${subscriptionColumns(sql)} from billing_subscriptions
    where tenant_id = ${owner.tenantId} and environment = ${owner.environment}
      and ended_at is null`
  return row ?? null
}

/** Locks it until the transaction ends. */
export async function lockSubscription(sql: TxSql, owner: Owner): Promise<SubscriptionRow | null> {
  const [row] = await sql<SubscriptionRow[]>`
    select ${subscriptionColumns(sql)} from billing_subscriptions
    where tenant_id = ${owner.tenantId} and environment = ${owner.environment}
      and ended_at is null
    for no key update`
  return row ?? null
}

/** Locks a subscription by its id, also one that another one replaced. */
export async function lockAnySubscription(
  sql: TxSql,
  owner: Owner,
  id: string,
): Promise<SubscriptionRow | null> {
  const [row] = await sql<SubscriptionRow[]>`
    select ${subscriptionColumns(sql)} from billing_subscriptions
    where tenant_id = ${owner.tenantId} and environment = ${owner.environment} and id = ${id}
    for no key update`
  return row ?? null
}

/** True where the tenant had a trial in the environment, since its last wipe. */
export async function hadTrial(sql: SqlTag, owner: Owner): Promise<boolean> {
  const [row] = await sql`
    select from billing_subscriptions
    where tenant_id = ${owner.tenantId} and environment = ${owner.environment}
      and trial_started_at is not null
    limit 1`
  return row !== undefined
}

/** Fields of a subscription that are given when it is made; the others begin as the table says. */
export type NewSubscription = Pick<
  SubscriptionRow,
  | 'id'
  | 'terms'
  | 'interval'
  | 'currency'
  | 'netDays'
  | 'trialStartedAt'
  | 'trialEndsAt'
  | 'activeFrom'
  | 'rollsAt'
  | 'createdAt'
>

export async function insertSubscription(
  sql: TxSql,
  owner: Owner,
  made: NewSubscription,
): Promise<SubscriptionRow> {
  const [row] = await sql<SubscriptionRow[]>`
    insert into billing_subscriptions (id, tenant_id, environment, terms, billing_interval,
      currency, net_days, trial_started_at, trial_ends_at, active_from, rolls_at, created_at)
    values (${made.id}, ${owner.tenantId}, ${owner.environment},
      ${JSON.stringify(made.terms)}::text::jsonb, ${made.interval}, ${made.currency},
      ${made.netDays}, ${made.trialStartedAt}, ${made.trialEndsAt}, ${made.activeFrom},
      ${made.rollsAt}, ${made.createdAt})
    returning ${subscriptionColumns(sql)}`
  assert(row !== undefined, 'an insert returns its row')
  return row
}

export type SubscriptionChange = Partial<
  Omit<
    SubscriptionRow,
    'id' | 'tenantId' | 'environment' | 'createdAt' | 'trialStartedAt' | 'trialEndsAt'
  >
>

/** Saves the changed fields of a locked subscription. */
export async function saveSubscription(
  sql: TxSql,
  held: SubscriptionRow,
  change: SubscriptionChange,
): Promise<SubscriptionRow> {
  const next = { ...held, ...change }
  const [row] = await sql<SubscriptionRow[]>`
    update billing_subscriptions set
      terms = ${JSON.stringify(next.terms)}::text::jsonb, previous_plan = ${next.previousPlan},
      billing_interval = ${next.interval}, currency = ${next.currency}, net_days = ${next.netDays},
      active_from = ${next.activeFrom}, ordinal = ${next.ordinal},
      base_ordinal = ${next.baseOrdinal}, pending_plan = ${next.pendingPlan},
      pending_interval = ${next.pendingInterval}, rolls_at = ${next.rollsAt},
      cancel_at_period_end = ${next.cancelAtPeriodEnd},
      ends_at = ${next.endsAt}, overdue_since = ${next.overdueSince},
      override_state = ${next.overrideState}, override_reason = ${next.overrideReason},
      override_expires_at = ${next.overrideExpiresAt}, credit_cents = ${next.creditCents},
      ended_at = ${next.endedAt}
    where tenant_id = ${held.tenantId} and environment = ${held.environment} and id = ${held.id}
    returning ${subscriptionColumns(sql)}`
  assert(row !== undefined, 'a locked subscription does not vanish')
  return row
}

/** Rights beside every plan: an operator granted them, or the tenant is older than billing. */
export async function findGrants(
  sql: SqlTag,
  { tenantId }: Owner,
): Promise<{ realtimeGranted: boolean; waived: boolean }> {
  const [row] = await sql<{ realtimeGranted: boolean; waived: boolean }[]>`
    select realtime_entitled as "realtimeGranted", billing_waived as waived
    from tenants where id = ${tenantId}`
  return row ?? { realtimeGranted: false, waived: false }
}

export interface Credit {
  id: string
  amountCents: number
  reason: string
  operatorId: string
  createdAt: EpochMs
}

export async function insertCredit(
  sql: TxSql,
  { id, tenantId, environment }: SubscriptionRow,
  made: Credit,
): Promise<void> {
  await sql`
    insert into billing_credits (id, subscription_id, tenant_id, environment, amount_cents, reason,
      operator_id, created_at)
    values (${made.id}, ${id}, ${tenantId}, ${environment}, ${made.amountCents}, ${made.reason},
      ${made.operatorId}, ${made.createdAt})`
}

/** True where an invoice can be charged: the processor has a payment method of the tenant. */
export async function hasPaymentMethod(sql: SqlTag, owner: Owner): Promise<boolean> {
  const [row] = await sql`
    select from billing_payment_methods
    where tenant_id = ${owner.tenantId} and environment = ${owner.environment}
      and status = 'attached'
    limit 1`
  return row !== undefined
}
