// Writes the next version of a spending control. A version that was written never changes.
import type {
  ControlTermsInput,
  SpendingControl,
} from '../../../shared/schemas/spending-control.ts'
import { changeConfiguration } from '../../configuration.ts'
import type { Context } from '../../context.ts'
import type { TxSql } from '../../database/transaction.ts'
import { requireState } from '../../move.ts'
import { Refusal } from '../../refuse.ts'
import { holdControl, requireBindable } from './change.ts'
import { saveControl } from './save.ts'
import { CHANGEABLE_IN } from './states.ts'
import { newTerms } from './terms.ts'
import { controlView } from './view.ts'

/** Fields left out stay as they are; null opens one. Writing what is already there makes no version. */
export async function updateSpendingControl(
  context: Context,
  input: { controlId: string; ifVersion: number | null; terms: ControlTermsInput },
): Promise<SpendingControl> {
  const { principal, now } = context
  const change = async (sql: TxSql) => {
    const { control, subject } = await holdControl(sql, principal, input.controlId)
    if (input.ifVersion !== null && input.ifVersion !== control.version)
      throw new Refusal('version_conflict', { extra: { current_version: control.version } })
    requireState(control.state, CHANGEABLE_IN)
    requireBindable(subject)
    const author = { owner: principal, keyId: principal.keyId, now }
    const terms = newTerms(control.terms, input.terms, { subject, now })
    return controlView(await saveControl(sql, author, control, { terms }))
  }
  // Repeated by us after a commit that nobody saw, the first run's own version would look like a rival's.
  return changeConfiguration(context, change, { safeToRepeat: input.ifVersion === null })
}
