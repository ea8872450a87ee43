// What wallets do: a holder puts a pass into one, or takes it out. Whoever speaks with the wallets calls these, with a
// transaction of its own. Spec 6.2, pass.installed and pass.removed.
import type { EpochMs } from '../../../shared/clock.ts'
import type { PassPlatform } from '../../../shared/schemas/pass.ts'
import type { Owner } from '../../context.ts'
import type { TxSql } from '../../database/transaction.ts'
import { nextVersion } from './change.ts'
import { ALONE, recordPassChanges, recordPassEvents } from './event.ts'
import { PASS_MOVES } from './states.ts'
import { passView } from './view.ts'
import {
  deleteInstallation,
  insertInstallation,
  lockPassAnywhere,
  remainingPlatforms,
} from './wallet-store.ts'
import { pushToWallets, savePasses } from './write-store.ts'

/** A pass in a wallet. */
export interface Installation {
  passId: string
  platform: PassPlatform
  /** Apple's device library identifier; empty for Google, which tells of no devices. */
  deviceId: string
}

export interface WalletCall {
  /** The installation's. */
  now: EpochMs
  /** Where holders reach us, without a slash at its end. */
  publicUrl: string
}

/** A device that got its pass before a change and told of itself behind it would never hear of that change. */
const DOWNLOAD_MS_MAX = 600_000

/**
 * `created`: this wallet did not have it. `known`: it had it already, and nothing changes but the push token. Null: there is no such
 * pass. Chosen: the first wallet of all makes the pass installed, with pass.installed; further devices and the other platform change
 * nothing that is told. A revoked pass stays revoked, and its wallet is told of changes like any.
 */
export async function recordInstalled(
  sql: TxSql,
  installation: Installation & WalletCall & { pushToken: string | null },
): Promise<'created' | 'known' | null> {
  const { passId, platform, now: installationNow, publicUrl } = installation
  const row = await lockPassAnywhere(sql, passId)
  if (row === null) return null
  if (!(await insertInstallation(sql, installation))) return 'known'
  // Google's links last: what is saved by one may have been brought there long before.
  const late = platform === 'google' || row.changedAt > installationNow - DOWNLOAD_MS_MAX
  if (row.version > 1 && late) await pushToWallets(sql, [row], installationNow)
  const { from, to, event } = PASS_MOVES.install
  if (!(from as readonly string[]).includes(row.status)) return 'created'
  const world = worldOf(row, installationNow)
  const moments = { now: world.now, installationNow, seen: false }
  const installed = nextVersion(row, { status: to, platform }, moments)
  await savePasses(sql, row, [installed])
  const passes = [passView(installed, publicUrl)]
  await recordPassEvents(sql, world, { type: event, lane: ALONE, passes })
  return 'created'
}

/**
 * False where that wallet had no such pass, or the device another push token than the one that is named. The last wallet of all
 * makes the pass removed, with pass.removed, and it keeps the platform it was on. Where the wallet goes that it was put into first,
 * and another one stays, `platform` becomes that one's, with pass.updated.
 */
export async function recordRemoved(
  sql: TxSql,
  installation: Installation & WalletCall & { pushToken?: string | null },
): Promise<boolean> {
  const { passId, now: installationNow, publicUrl } = installation
  const row = await lockPassAnywhere(sql, passId)
  if (row === null || !(await deleteInstallation(sql, installation))) return false
  const { from, to, event } = PASS_MOVES.remove
  if (!(from as readonly string[]).includes(row.status)) return true
  const [platform, ...others] = await remainingPlatforms(sql, passId)
  const world = worldOf(row, installationNow)
  const moments = { now: world.now, installationNow, seen: false }
  if (platform === undefined) {
    const removed = nextVersion(row, { status: to }, moments)
    await savePasses(sql, row, [removed])
    const passes = [passView(removed, publicUrl)]
    await recordPassEvents(sql, world, { type: event, lane: ALONE, passes })
  } else if (![platform, ...others].some((left) => left === row.platform)) {
    const moved = nextVersion(row, { platform }, moments)
    await savePasses(sql, row, [moved])
    const changes = [{ before: passView(row, publicUrl), after: passView(moved, publicUrl) }]
    await recordPassChanges(sql, world, { lane: ALONE, changes })
  }
  return true
}

function worldOf(
  owner: Owner & { clockOffsetMs: number },
  installationNow: EpochMs,
): { principal: Owner; now: EpochMs } {
  return { principal: owner, now: installationNow + owner.clockOffsetMs }
}
