// Activates a draft and retires a control. Each move is a version of its own, so the history shows
// its author and time.
import type { SpendingControl } from '../../../shared/schemas/spending-control.ts'
import { authorOf, type Context } from '../../context.ts'
import type { TxSql } from '../../database/transaction.ts'
import { requireState } from '../../write/move.ts'
import { writeConfirmed } from '../../write/write-confirmed.ts'
import { lockControl, requireBindable } from './change.ts'
import { saveControl } from './save.ts'
import { CONTROL_MOVES } from './states.ts'
import { controlView } from './view.ts'

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
