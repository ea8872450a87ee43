// Statements of the wallet services. A wallet knows a pass by its id alone, so these statements
// name no owner: the callers' keys and certificates decide their rights.
import type { EpochMs } from '../../../shared/clock.ts'
import type { PassPlatform } from '../../../shared/schemas/pass.ts'
import type { PassContent } from '../../../shared/schemas/pass-template.ts'
import type { Owner } from '../../context.ts'
import type { SqlTag } from '../../database/pool.ts'
import { NOTHING } from '../../database/static-fragments.ts'
import type { TxSql } from '../../database/transaction.ts'
import { PASS_COLUMNS } from './store.ts'
import type { PassRow } from './view.ts'

/** A pass in a wallet. */
export interface Installation {
  passId: string
  platform: PassPlatform
  /** Apple's device library identifier; empty for Google, which does not report devices. */
  deviceId: string
}

/** The pass, its owner, and the offset of the owner's clock. */
export type OwnedPass = PassRow & Owner & { clockOffsetMs: number }

/** Returns a pass with the content of its template version: everything that a wallet shows. */
export async function passBySerial(
  sql: SqlTag,
  passId: string,
): Promise<(OwnedPass & { content: PassContent }) | null> {
  const [row] = await sql<(OwnedPass & { content: PassContent })[]>`
    select p.*, v.content from (
      select ${PASS_COLUMNS}, tenant_id as "tenantId", clock_offset(tenant_id, environment) as "clockOffsetMs"
      from passes where id = ${passId}
    ) p
    join pass_template_versions v on v.template_id = p."templateId" and v.version = p."templateVersion"`
  return row ?? null
}

/** Finds a pass of any owner and locks it until the transaction ends. */
export async function lockPassAnywhere(sql: TxSql, passId: string): Promise<OwnedPass | null> {
  const [row] = await sql<OwnedPass[]>`
    select ${PASS_COLUMNS}, tenant_id as "tenantId", clock_offset(tenant_id, environment) as "clockOffsetMs"
    from passes where id = ${passId} for no key update`
  return row ?? null
}

/**
 * Returns whether the installation is new. A push token belongs to the device: all of its passes
 * get it.
 */
export async function insertInstallation(
  sql: TxSql,
  installation: Installation & { pushToken: string | null; now: EpochMs },
): Promise<boolean> {
  const { passId, platform, deviceId, pushToken, now } = installation
  const made = await sql`
    insert into pass_installations (pass_id, platform, device_id, push_token, installed_at)
    values (${passId}, ${platform}, ${deviceId}, ${pushToken}, ${now})
    on conflict do nothing`
  if (pushToken !== null)
    await sql`
      update pass_installations set push_token = ${pushToken}
      where platform = 'apple' and device_id = ${deviceId} and push_token is distinct from ${pushToken}`
  return made.count === 1
}

/** If the call names a push token, the row is deleted only while the device has that token. */
export async function deleteInstallation(
  sql: TxSql,
  { passId, platform, deviceId, pushToken }: Installation & { pushToken?: string | null },
): Promise<boolean> {
  const named = pushToken ? sql`and push_token = ${pushToken}` : NOTHING
  const gone = await sql`
    delete from pass_installations
    where pass_id = ${passId} and platform = ${platform} and device_id = ${deviceId} ${named}`
  return gone.count === 1
}

/** Returns platforms whose wallets have the pass, the earliest first. */
export async function remainingPlatforms(sql: SqlTag, passId: string): Promise<PassPlatform[]> {
  const rows = await sql<{ platform: PassPlatform }[]>`
    select platform from pass_installations where pass_id = ${passId}
    group by platform order by min(installed_at), platform`
  return rows.map(({ platform }) => platform)
}

/** Registrations of a device that Apple's push service no longer finds. */
export async function installationsOfDevice(
  sql: SqlTag,
  pushToken: string,
): Promise<Installation[]> {
  return sql<Installation[]>`
    select pass_id as "passId", platform, device_id as "deviceId" from pass_installations
    where platform = 'apple' and push_token = ${pushToken} order by pass_id`
}

/** A transaction that runs when a device asks ends within this time. */
const UNDER_WAY_MS_MAX = 60_000

/**
 * Returns a device's passes that changed since its tag, 0 for all, and the next tag; null for no
 * change. Chosen: changes in the minute before the tag are listed again, because they may have
 * become visible after it; a device that has them gets a 304.
 */
export async function passesChangedSince(
  sql: SqlTag,
  { deviceId, since }: { deviceId: string; since: number },
): Promise<{ passIds: string[]; tag: number } | null> {
  const rows = await sql<{ id: string; changedAt: number }[]>`
    select p.id, p.changed_at as "changedAt" from pass_installations i join passes p on p.id = i.pass_id
    where i.platform = 'apple' and i.device_id = ${deviceId} and p.changed_at > ${since - UNDER_WAY_MS_MAX}
    order by p.id`
  if (rows.length === 0) return null
  const tag = Math.max(since, ...rows.map(({ changedAt }) => changedAt))
  return { passIds: rows.map(({ id }) => id), tag }
}
