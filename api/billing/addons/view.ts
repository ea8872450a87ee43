// Only this module makes rows of add-ons public.
import { unixSeconds } from '../../../shared/clock.ts'
import type { Addon } from '../../../shared/schemas/billing-subscription.ts'
import type { Environment } from '../../../shared/wire/config-records.ts'
import type { AddonKey } from '../catalogue/index.ts'
import type { AddonRow } from './store.ts'

/** An add-on without a row was never enabled. */
export function addonView(
  key: AddonKey,
  row: AddonRow | undefined,
  environment: Environment,
): Addon {
  return {
    id: key,
    object: 'billing_addon',
    livemode: environment === 'live',
    enabled: row?.enabled ?? false,
    changed_at: row === undefined ? null : unixSeconds(row.changedAt),
  }
}

/** Keys of the enabled add-ons, in the order of the catalogue. */
export function enabledAddons(rows: readonly AddonRow[]): AddonKey[] {
  return rows
    .filter(({ enabled }) => enabled)
    .map(({ key }) => key)
    .sort()
}
