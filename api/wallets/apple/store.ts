// What Apple's wallet is told and tells beside what the room of passes keeps.
import type { SqlTag } from '../../database/pool.ts'
import type { TxSql } from '../../database/transaction.ts'

export interface Registration {
  passId: string
  deviceId: string
  pushToken: string
}

/** Whether nothing would change: devices register again and again. */
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
 * The same device under a name it had before, and what a pass has beyond `most` devices, the oldest: nobody hears of their going,
 * because the pass is still in a wallet. The pass is locked.
 */
export async function forgetFormerNames(
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

/** Devices that are to be told of changes of these passes. */
export async function findDevices(sql: SqlTag, passIds: readonly string[]): Promise<DeviceRow[]> {
  return sql<DeviceRow[]>`
    select pass_id as "passId", push_token as "pushToken" from pass_installations
    where pass_id = any (${passIds}::text[]) and platform = 'apple' and push_token is not null
    order by pass_id, device_id`
}
