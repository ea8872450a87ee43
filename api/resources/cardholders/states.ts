// The legal moves of a cardholder. Spec 3 knows one: frozen pending review.
import type { CardholderStatus } from '../../../shared/wire/facts.ts'
import type { Move } from '../../move.ts'

/** A frozen cardholder keeps the status it had; while frozen, only that counts. */
export type CardholderStanding = CardholderStatus | 'frozen'

// The specification lists no event for a freeze by the tenant; cardholder.sanctions.alert announces the other kind.
export const CARDHOLDER_MOVES = {
  freeze: { from: ['active', 'inactive'], to: 'frozen', event: null },
  unfreeze: { from: ['frozen'], to: 'active', event: null },
} as const satisfies Record<string, Move<CardholderStanding>>

export function standingOf(row: { status: CardholderStatus; frozen: boolean }): CardholderStanding {
  return row.frozen ? 'frozen' : row.status
}
