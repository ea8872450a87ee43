// The legal moves of an API key. Spec 3. Only these end a key: keys do not expire.
import type { KeyStatus } from '../../../shared/schemas/api-key.ts'
import type { Move } from '../../write/move.ts'

export const KEY_MOVES = {
  mark_pending: { from: ['active'], to: 'pending', event: null },
  revoke: { from: ['active', 'pending'], to: 'revoked', event: 'api_key.revoked' },
} as const satisfies Record<string, Move<KeyStatus>>

export type KeyMove = keyof typeof KEY_MOVES

/** States in which its name and its address ranges may be changed. */
export const CHANGEABLE_IN = ['active', 'pending'] as const satisfies readonly KeyStatus[]
