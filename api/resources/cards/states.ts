// The legal moves of a card. Spec 3.

import type { CardStatus } from '../../../shared/wire/facts.ts'
import type { Move } from '../../move.ts'

export const CARD_MOVES = {
  suspend: { from: ['active'], to: 'suspended', event: 'card.suspended' },
  resume: { from: ['suspended'], to: 'active', event: 'card.resumed' },
  terminate: {
    from: ['issued', 'active', 'suspended'],
    to: 'terminated',
    event: 'card.terminated',
  },
} as const satisfies Record<string, Move<CardStatus>>

/** Where a card's own limits and its PIN may still be replaced. */
export const CHANGEABLE_IN = [
  'issued',
  'active',
  'suspended',
] as const satisfies readonly CardStatus[]
