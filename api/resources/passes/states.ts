// The legal moves of a pass. Revoked is for ever. Spec 6.2.
import type { PassStatus } from '../../../shared/schemas/pass.ts'
import type { Move } from '../../move.ts'

/**
 * Chosen: what has an event of its own is not told of by pass.updated as well: an install, a removal, a revocation, and a scan of a
 * pass that counts once. A pass that is put back into a wallet is installed again, with another pass.installed.
 */
export const PASS_MOVES = {
  install: { from: ['active', 'removed'], to: 'installed', event: 'pass.installed' },
  remove: { from: ['installed'], to: 'removed', event: 'pass.removed' },
  revoke: { from: ['active', 'installed', 'removed'], to: 'revoked', event: 'pass.revoked' },
} as const satisfies Record<string, Move<PassStatus>>

/** Where what a pass shows may still be changed. */
export const CHANGEABLE_IN = [
  'active',
  'installed',
  'removed',
] as const satisfies readonly PassStatus[]
