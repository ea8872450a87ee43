// Enables or disables a metered add-on. Spec 6.2, billing.addon_toggled.
import type { Addon } from '../../../shared/schemas/billing-subscription.ts'
import type { Context } from '../../context.ts'
import { Refusal } from '../../http/refusal.ts'
import { recordEvent } from '../../webhooks/events/index.ts'
import { write } from '../../write/write.ts'
import { addonView, listAddons, saveAddon } from '../addons/index.ts'
import type { AddonKey } from '../catalogue/index.ts'
import { type BillingPort, lockOwner, requireBilled } from '../require-billing.ts'
import { renewEntitlements } from './entitlements.ts'
import { lockSubscription } from './store.ts'
import { subscriptionStanding } from './view.ts'

/** Chosen: an add-on is enabled under a subscription that pays or tries; it is always disabled. */
const ENABLED_IN: readonly string[] = ['trialing', 'active', 'past_due']

/** The same value again changes nothing and has no event. */
export async function toggleAddon(
  context: Context,
  { key, enabled }: { key: AddonKey; enabled: boolean },
  port: BillingPort,
): Promise<Addon> {
  const { principal, now } = context
  const { tenantId, environment } = principal
  requireBilled(port, environment)
  return write(context, async (sql) => {
    await lockOwner(sql, principal)
    const subscription = await lockSubscription(sql, principal)
    const { status } = subscriptionStanding(subscription, now)
    if (enabled && status === 'none') throw new Refusal('feature_not_enabled')
    if (enabled && !ENABLED_IN.includes(status))
      throw new Refusal('billing_restricted', { extra: { billing_status: status } })
    const held = (await listAddons(sql, subscription?.id ?? null)).find((row) => row.key === key)
    const isSame = (held?.enabled ?? false) === enabled
    if (subscription === null || isSame) return addonView(key, held, environment)
    const row = { key, enabled, changedAt: now }
    await saveAddon(sql, subscription.id, row)
    await renewEntitlements(sql, principal, now)
    const addon = addonView(key, row, environment)
    const event = { type: 'billing.addon_toggled', data: { addon }, resourceId: key } as const
    await recordEvent(sql, { tenantId, environment, ...event, now })
    return addon
  })
}
