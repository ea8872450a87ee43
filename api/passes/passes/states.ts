// The legal moves of a pass. Revoked is final. Spec 6.2.
import type { PassStatus } from '../../../shared/schemas/pass.ts'
import type { Move } from '../../write/move.ts'

/**
 * Chosen: a change with its own event causes no pass.updated: an install, a removal, a revocation,
 * and a scan of a one-time pass. A pass put back into a wallet is installed again, with another
 * pass.installed.
 */
export const PASS_MOVES = {
  install: { from: ['active', 'removed'], to: 'installed', event: 'pass.installed' },
  remove: { from: ['installed'], to: 'removed', event: 'pass.removed' },
  revoke: { from: ['active', 'installed', 'removed'], to: 'revoked', event: 'pass.revoked' },
} as const satisfies Record<string, Move<PassStatus>>

/** States in which the shown content of a pass may change. */
export const CHANGEABLE_IN = [
  'active',
  'installed',
  'removed',
] as const satisfies readonly PassStatus[]
