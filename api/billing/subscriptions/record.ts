// Shows a subscription with its add-ons, and records its events with the same shape.
import type { EpochMs } from '../../../shared/clock.ts'
import type { EventType } from '../../../shared/event-catalog.ts'
import type { Subscription } from '../../../shared/schemas/billing-subscription.ts'
import type { Owner } from '../../context.ts'
import type { SqlTag } from '../../database/pool.ts'
import type { TxSql } from '../../database/transaction.ts'
import { recordEvent } from '../../webhooks/events/index.ts'
import { enabledAddons, listAddons } from '../addons/index.ts'
import { renewEntitlements } from './entitlements.ts'
import { type SubscriptionRow, subscriptionView } from './view.ts'

/** `now` by the tenant's clock. */
async function shownSubscription(
  sql: SqlTag,
  { owner, row, now }: { owner: Owner; row: SubscriptionRow | null; now: EpochMs },
): Promise<Subscription> {
  const addons = enabledAddons(await listAddons(sql, row?.id ?? null))
  return subscriptionView(row, { environment: owner.environment, addons, now })
}

/**
 * Renews the entitlements, then records the events in this order; returns the subscription as they
 * show it.
 */
export async function recordSubscription(
  sql: TxSql,
  row: SubscriptionRow,
  types: readonly EventType[],
  now: EpochMs,
): Promise<Subscription> {
  const { tenantId, environment, id: resourceId } = row
  await renewEntitlements(sql, row, now)
  const subscription = await shownSubscription(sql, { owner: row, row, now })
  for (const type of types)
    await recordEvent(sql, { tenantId, environment, type, data: { subscription }, resourceId, now })
  return subscription
}
