// Every SQL statement about add-ons. Each names the subscription, which the owner gave.
import type { EpochMs } from '../../../shared/clock.ts'
import type { SqlTag } from '../../database/pool.ts'
import type { TxSql } from '../../database/transaction.ts'
import type { AddonKey } from '../catalogue/index.ts'

export interface AddonRow {
  key: AddonKey
  enabled: boolean
  changedAt: EpochMs
}

/** Add-ons that were enabled at least once; none without a subscription. */
export async function listAddons(sql: SqlTag, subscriptionId: string | null): Promise<AddonRow[]> {
  if (subscriptionId === null) return []
  return sql<AddonRow[]>`
    select key, enabled, changed_at as "changedAt" from billing_addons
    where subscription_id = ${subscriptionId}`
}

export async function saveAddon(
  sql: TxSql,
  subscriptionId: string,
  addon: AddonRow,
): Promise<void> {
  await sql`
    insert into billing_addons (subscription_id, key, enabled, changed_at)
    values (${subscriptionId}, ${addon.key}, ${addon.enabled}, ${addon.changedAt})
    on conflict (subscription_id, key) do update set
      enabled = excluded.enabled, changed_at = excluded.changed_at`
}
