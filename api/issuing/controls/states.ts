// States and moves of controls: a draft is activated, a control retired. Each move is a version of
// its own, so the history shows its author and time.
import type { SpendingControl } from '../../../shared/schemas/spending-control.ts'
import { authorOf, type Context } from '../../context.ts'
import type { TxSql } from '../../database/transaction.ts'
import type { Move } from '../../write/move.ts'
import { requireState } from '../../write/move.ts'
import { writeConfirmed } from '../../write/write-confirmed.ts'
import { lockControl, requireBindable } from './change.ts'
import { saveControl } from './save.ts'
import type { ControlState } from './view.ts'
import { controlView } from './view.ts'

// The specification lists no events for spending controls.
const CONTROL_MOVES = {
  activate: { from: ['draft'], to: 'active', event: null },
  retire: { from: ['draft', 'active'], to: 'retired', event: null },
} as const satisfies Record<string, Move<ControlState>>

/** States in which its terms may change. */
export const CHANGEABLE_IN = ['draft', 'active'] as const satisfies readonly ControlState[]

/**
 * Chosen: a control already in the target state stays as it is, and the call waits for the engine
 * again.
 */
export async function moveSpendingControl(
  context: Context,
  input: { controlId: string; move: keyof typeof CONTROL_MOVES },
): Promise<SpendingControl> {
  const { principal, now } = context
  const { from, to } = CONTROL_MOVES[input.move]
  const change = async (sql: TxSql) => {
    const { control, subject } = await lockControl(sql, principal, input.controlId)
    if (control.state === to) return controlView(control)
    requireState(control.state, from)
    if (to !== 'retired') requireBindable(subject)
    const author = { owner: principal, createdBy: authorOf(principal), now }
    return controlView(await saveControl(sql, author, control, { state: to }))
  }
  return writeConfirmed(context, change, { safeToRepeat: true })
}
