// The legal moves of a spending control. A draft is judged in shadow; a retired control binds no
// card and stays retired.
import type { Move } from '../../write/move.ts'
import type { ControlState } from './view.ts'

// The specification lists no events for spending controls.
export const CONTROL_MOVES = {
  activate: { from: ['draft'], to: 'active', event: null },
  retire: { from: ['draft', 'active'], to: 'retired', event: null },
} as const satisfies Record<string, Move<ControlState>>

/** States in which its terms may change. */
export const CHANGEABLE_IN = ['draft', 'active'] as const satisfies readonly ControlState[]
