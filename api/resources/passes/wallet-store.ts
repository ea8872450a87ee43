// Statements of whoever speaks with wallets. A wallet knows a pass by its id alone, so these name no owner: what they may do is
// decided by the keys and certificates of those who call.
import type { EpochMs } from '../../../shared/clock.ts'
import type { PassPlatform } from '../../../shared/schemas/pass.ts'
import type { PassContent } from '../../../shared/schemas/pass-template.ts'
import type { Owner } from '../../context.ts'
import { NOTHING } from '../../database/fixed.ts'
import type { SqlTag } from '../../database/pool.ts'
import type { TxSql } from '../../database/transaction.ts'
import type { Installation } from './install.ts'
import { PASS_COLUMNS } from './store.ts'
import type { PassRow } from './view.ts'

/** Whose pass it is, and how far their clock is ahead. */
export type OwnedPass = PassRow & Owner & { clockOffsetMs: number }

/** A pass with what its version of the template says: all that a wallet is shown. */
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

/** Whoever it belongs to; held until the transaction ends. */
export async function lockPassAnywhere(sql: TxSql, passId: string): Promise<OwnedPass | null> {
  const [row] = await sql<OwnedPass[]>`
    select ${PASS_COLUMNS}, tenant_id as "tenantId", clock_offset(tenant_id, environment) as "clockOffsetMs"
    from passes where id = ${passId} for no key update`
  return row ?? null
}

/** Whether it is a new one. A push token is that of the device: all of its passes get it. */
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

/** Where a push token is named, only while it is the device's. */
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

/** Platforms whose wallets have the pass, the one that had it first before the other. */
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

/** A transaction that was under way when a device asked is over before this. */
const UNDER_WAY_MS_MAX = 60_000

/**
 * Passes of a device that were changed since a tag it was given, 0 for all, and the tag for next time; null where there are none.
 * Chosen: what was changed in the minute before the tag is told again, because it may have become visible behind it; a device that
 * has it is answered 304.
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
