// The legal moves of a wallet token. Deactivated is final. The specification lists no events for
// them.
import type { CardStatus, WalletTokenConfig } from '../../../shared/wire/config-records.ts'
import type { Move } from '../../write/move.ts'

export type WalletTokenStatus = WalletTokenConfig['status']

/** States of a card that may be added to a wallet. */
export const HOLDABLE_IN = [
  'issued',
  'active',
  'suspended',
] as const satisfies readonly CardStatus[]

export const WALLET_TOKEN_MOVES = {
  suspend: { from: ['active'], to: 'suspended', event: null },
  resume: { from: ['suspended'], to: 'active', event: null },
  deactivate: { from: ['active', 'suspended'], to: 'deactivated', event: null },
} as const satisfies Record<string, Move<WalletTokenStatus>>
export type WalletTokenMove = keyof typeof WALLET_TOKEN_MOVES
