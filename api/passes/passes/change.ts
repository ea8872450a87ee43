// The common part of every change of a pass: the next version, its moment, and the wallets to
// notify.
import type { EpochMs } from '../../../shared/clock.ts'
import type { Principal } from '../../context.ts'
import type { PassRow } from './view.ts'

/** Wallets ask for changes since a second. */
const WALLET_STEP_MS = 1000

/** Tenant time and installation time. */
export interface Moments {
  now: EpochMs
  installationNow: EpochMs
}

export function momentsOf({
  principal,
  now,
}: {
  principal: Pick<Principal, 'clockOffsetMs'>
  now: EpochMs
}): Moments {
  return { now, installationNow: now - principal.clockOffsetMs }
}

/** Returns the next version of a locked pass. `seen`: wallets show the change. */
export function nextVersion(
  row: PassRow,
  change: Partial<PassRow>,
  { now, installationNow, seen }: Moments & { seen: boolean },
): PassRow {
  const changedAt = seen ? Math.max(installationNow, row.changedAt + WALLET_STEP_MS) : row.changedAt
  return { ...row, ...change, version: row.version + 1, updatedAt: now, changedAt }
}
