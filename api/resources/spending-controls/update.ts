// Writes the next version of a spending control. A version that was written never changes.
import { isDeepStrictEqual } from 'node:util'
import type {
  ControlTerms,
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
import { type ControlRow, controlView } from './view.ts'

/**
 * Fields left out stay as they are; null opens one. Writing what is already there makes no version. Chosen: a call that names
 * the version before its own is a repeat, not a rival, so that one answered 503 can simply be repeated.
 */
export async function updateSpendingControl(
  context: Context,
  input: { controlId: string; ifVersion: number | null; terms: ControlTermsInput },
): Promise<SpendingControl> {
  const { principal, now } = context
  const change = async (sql: TxSql) => {
    const { control, subject } = await holdControl(sql, principal, input.controlId)
    const author = { owner: principal, keyId: principal.keyId, now }
    const wished = () => newTerms(control.terms, input.terms, { subject, now })
    if (input.ifVersion !== null && input.ifVersion !== control.version) {
      const own = control.version === input.ifVersion + 1 && control.updatedBy === author.keyId
      if (own && saysAlready(control, wished)) return controlView(control)
      throw new Refusal('version_conflict', { extra: { current_version: control.version } })
    }
    requireState(control.state, CHANGEABLE_IN)
    requireBindable(subject)
    return controlView(await saveControl(sql, author, control, { terms: wished() }))
  }
  return changeConfiguration(context, change, { safeToRepeat: true })
}

/** Terms that do not even go with the present ones are another wish. */
function saysAlready({ terms }: ControlRow, wished: () => ControlTerms): boolean {
  try {
    return isDeepStrictEqual(wished(), terms)
  } catch (refusal) {
    if (refusal instanceof Refusal) return false
    throw refusal
  }
}
