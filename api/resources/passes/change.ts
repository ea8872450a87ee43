// What every change of a pass has in common: its next version, its moment, and who is to hear of it.
import type { EpochMs } from '../../../shared/clock.ts'
import type { Principal } from '../../context.ts'
import type { PassRow } from './view.ts'

/** Wallets ask whether a pass was changed since a second. */
const WALLET_STEP_MS = 1000

/** The tenant's time, and the installation's. */
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

/** The next version of a pass that is held. `seen`: a wallet shows it otherwise. */
export function nextVersion(
  row: PassRow,
  change: Partial<PassRow>,
  { now, installationNow, seen }: Moments & { seen: boolean },
): PassRow {
  const changedAt = seen ? Math.max(installationNow, row.changedAt + WALLET_STEP_MS) : row.changedAt
  return { ...row, ...change, version: row.version + 1, updatedAt: now, changedAt }
}
