// Wallet actions: a holder adds a pass to a wallet or removes it. The wallet services call these
// functions in a transaction of their own. Spec 6.2, pass.installed and pass.removed.
import type { EpochMs } from '../../../shared/clock.ts'
import type { Owner } from '../../context.ts'
import type { TxSql } from '../../database/transaction.ts'
import { nextVersion } from './change.ts'
import { ALONE, PASS_MOVES, recordPassChanges, recordPassEvents } from './states.ts'
import { passView } from './view.ts'
import {
  deleteInstallation,
  type Installation,
  insertInstallation,
  lockPassAnywhere,
  remainingPlatforms,
} from './wallet-store.ts'
import { pushToWallets, savePasses } from './write-store.ts'

export interface WalletCall {
  /** Installation time. */
  now: EpochMs
  /** Public address for holders, without a slash at its end. */
  publicUrl: string
}

/**
 * A device that fetched its pass before a change and registers after it would otherwise miss that
 * change.
 */
const DOWNLOAD_MS_MAX = 600_000

/**
 * `created`: the pass is new to this wallet. `known`: the wallet had the pass already, and only the
 * push token changes. Null: the pass does not exist. Chosen: the first wallet of all makes the pass
 * installed, with pass.installed; further devices and the other platform cause no event. A revoked
 * pass stays revoked, and its wallet still gets changes.
 */
export async function recordInstalled(
  sql: TxSql,
  installation: Installation & WalletCall & { pushToken: string | null },
): Promise<'created' | 'known' | null> {
  const { passId, platform, now: installationNow, publicUrl } = installation
  const row = await lockPassAnywhere(sql, passId)
  if (row === null) return null
  if (!(await insertInstallation(sql, installation))) return 'known'
  // Google's save links never expire: a holder may save a pass long after its upload.
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
 * Returns false if that wallet did not have the pass, or the device has another push token than the
 * given one. The removal from the last wallet makes the pass removed, with pass.removed, and keeps
 * its platform. If the first wallet goes and another stays, `platform` becomes that of the other,
 * with pass.updated.
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
