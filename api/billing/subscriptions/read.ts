// All reads of subscriptions, add-ons and entitlements.
import { type EpochMs, unixSeconds } from '../../../shared/clock.ts'
import type {
  Addon,
  Entitlements,
  Subscription,
  TenantBilling,
} from '../../../shared/schemas/billing-subscription.ts'
import type { BillingPlan } from '../../../shared/schemas/billing-terms.ts'
import type { Context, OperatorContext, Owner } from '../../context.ts'
import type { SqlTag } from '../../database/pool.ts'
import { Refusal } from '../../http/refusal.ts'
import { findTenant, tenantTime } from '../../platform/tenants/index.ts'
import { addonView, listAddons } from '../addons/index.ts'
import { ADDON_KEYS, termsAt } from '../catalogue/index.ts'
import type { BillingPort } from '../require-billing.ts'
import { planView } from '../wire-terms.ts'
import { entitledNow } from './entitlements.ts'
import { findSubscription } from './store.ts'
import { entitlementsView, subscriptionView } from './view.ts'

/** The plans that a tenant can choose by itself, by the catalogue in force. */
export async function readPlans({ now }: Context): Promise<{ data: BillingPlan[] }> {
  const plans = ['starter', 'growth'] as const
  return { data: plans.map((plan) => planView({ ...termsAt(plan, now), plan })) }
}

export async function readSubscription({ sql, principal, now }: Context): Promise<Subscription> {
  return (await billingOf(sql, { owner: principal, billed: true, now })).subscription
}

export async function readEntitlements(
  { sql, principal, now }: Context,
  { billed }: BillingPort,
): Promise<Entitlements> {
  const at = { owner: principal, billed: billed[principal.environment], now }
  return (await billingOf(sql, at)).entitlements
}

export async function readAddons({ sql, principal }: Context): Promise<{ data: Addon[] }> {
  const subscription = await findSubscription(sql, principal)
  const rows = await listAddons(sql, subscription?.id ?? null)
  const shown = ADDON_KEYS.map((key) =>
    addonView(
      key,
      rows.find((row) => row.key === key),
      principal.environment,
    ),
  )
  return { data: shown }
}

/** Billing of any tenant, for operators. */
export async function readTenantBilling(
  { sql, now }: OperatorContext,
  owner: Owner,
  { billed }: BillingPort,
): Promise<TenantBilling> {
  if ((await findTenant(sql, owner.tenantId)) === null) throw new Refusal('resource_missing')
  const isBilled = billed[owner.environment]
  const at = { owner, billed: isBilled, now: await tenantTime(sql, owner, now) }
  const shown = await billingOf(sql, at)
  const clock = { now: unixSeconds(at.now) }
  return { id: owner.tenantId, object: 'tenant_billing', billed: isBilled, ...shown, ...clock }
}

async function billingOf(
  sql: SqlTag,
  { owner, billed, now }: { owner: Owner; billed: boolean; now: EpochMs },
): Promise<Pick<TenantBilling, 'subscription' | 'entitlements'>> {
  const { environment } = owner
  const { row, addons, entitled } = await entitledNow(sql, { owner, billed, now })
  return {
    subscription: subscriptionView(row, { environment, addons, now }),
    entitlements: entitlementsView(entitled, environment),
  }
}
