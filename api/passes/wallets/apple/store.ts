// Data for Apple's wallet beside the data of the passes module.
import type { SqlTag } from '../../../database/pool.ts'
import type { TxSql } from '../../../database/transaction.ts'

export interface Registration {
  passId: string
  deviceId: string
  pushToken: string
}

/** Returns whether the registration changes nothing: devices register repeatedly. */
export async function isRegistered(
  sql: SqlTag,
  { passId, deviceId, pushToken }: Registration,
): Promise<boolean> {
  const rows = await sql`
    select from pass_installations
    where pass_id = ${passId} and platform = 'apple' and device_id = ${deviceId} and push_token = ${pushToken}`
  return rows.length > 0
}

/**
 * Deletes earlier names of the same device, and a pass's oldest devices beyond `most`: the deletion
 * causes no event, because the pass is still in a wallet. The caller locks the pass.
 */
export async function purgeFormerNames(
  sql: TxSql,
  { passId, deviceId, pushToken }: Registration,
  most: number,
): Promise<void> {
  await sql`
    delete from pass_installations
    where pass_id = ${passId} and platform = 'apple' and device_id <> ${deviceId}
      and (push_token = ${pushToken} or device_id in (
        select device_id from pass_installations
        where pass_id = ${passId} and platform = 'apple' and device_id <> ${deviceId}
        order by installed_at desc, device_id offset ${most - 1}))`
}

export interface DeviceRow {
  passId: string
  pushToken: string
}

/** Returns devices that need a push about these passes. */
export async function findDevices(sql: SqlTag, passIds: readonly string[]): Promise<DeviceRow[]> {
  return sql<DeviceRow[]>`
    select pass_id as "passId", push_token as "pushToken" from pass_installations
    where pass_id = any (${passIds}::text[]) and platform = 'apple' and push_token is not null
    order by pass_id, device_id`
}
