// The legal moves of an alert. Chosen: a review is final; a dismissed cardholder alerts again as
// another person or on another entry.
import type { AlertStatus } from '../../../shared/schemas/sanctions-alert.ts'
import type { Move } from '../../write/move.ts'

// The specification lists no event for a review: the cardholder's frozen state shows it.
export const ALERT_MOVES = {
  dismiss: { from: ['open'], to: 'dismissed', event: null },
  confirm: { from: ['open'], to: 'confirmed', event: null },
} as const satisfies Record<string, Move<AlertStatus>>

export type AlertMove = keyof typeof ALERT_MOVES
