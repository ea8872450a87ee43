// Writes the next version of a spending control. A written version never changes.
import { isDeepStrictEqual } from 'node:util'
import type {
  ControlTerms,
  ControlTermsInput,
  SpendingControl,
} from '../../../shared/schemas/spending-control.ts'
import type { TenantFieldsChange } from '../../../shared/schemas/tenant-fields.ts'
import { authorOf, type Context } from '../../context.ts'
import type { TxSql } from '../../database/transaction.ts'
import { Refusal } from '../../http/refusal.ts'
import { requireUnerasedPerson } from '../../write/erased.ts'
import { requireState } from '../../write/move.ts'
import { changedTenantFields, requireFreeExternalId } from '../../write/tenant-fields.ts'
import { writeConfirmed } from '../../write/write-confirmed.ts'
import { lockControl, requireBindable } from './change.ts'
import { saveControl } from './save.ts'
import { CHANGEABLE_IN } from './states.ts'
import { rereadControl, saveTenantFields } from './store.ts'
import { newTerms } from './terms.ts'
import { type ControlRow, controlView } from './view.ts'

export interface ControlChange {
  controlId: string
  ifVersion: number | null
  terms: ControlTermsInput
  own: TenantFieldsChange
}

/**
 * Fields left out stay as they are; null removes a restriction. Writing equal terms makes no
 * version. Chosen: a call that names the version before its own is a repeat, not a rival, so a
 * caller can simply repeat a call answered 503. The tenant fields change outside the versions,
 * also on a retired control. Refuses with 409 a control of an erased person.
 */
export async function updateSpendingControl(
  context: Context,
  input: ControlChange,
): Promise<SpendingControl> {
  const { principal, now } = context
  const change = async (sql: TxSql) => {
    const { control, subject } = await lockControl(sql, principal, input.controlId)
    await requireUnerasedPerson(sql, principal, subject.id)
    const author = { owner: principal, createdBy: authorOf(principal), now }
    const proposed = () => newTerms(control.terms, input.terms, { subject, now })
    const repeated = isRepeat(control, {
      author: authorOf(principal),
      ifVersion: input.ifVersion,
      proposed,
    })
    if (!repeated && Object.keys(input.terms).length > 0) {
      requireState(control.state, CHANGEABLE_IN)
      requireBindable(subject)
      await saveControl(sql, author, control, { terms: proposed() })
    }
    const own = changedTenantFields(control, input.own)
    const { id: controlId } = control
    await requireFreeExternalId(sql, principal, {
      table: 'spending_controls',
      ...own,
      id: controlId,
    })
    await saveTenantFields(sql, principal, { ...own, controlId })
    return controlView(await rereadControl(sql, principal, controlId))
  }
  return writeConfirmed(context, change, { safeToRepeat: true })
}

/** Returns true if this call was done before. Refuses (409) if another caller came first. */
function isRepeat(
  control: ControlRow,
  {
    author,
    ifVersion,
    proposed,
  }: { author: string; ifVersion: number | null; proposed: () => ControlTerms },
): boolean {
  if (ifVersion === null || ifVersion === control.version) return false
  const own = control.version === ifVersion + 1 && control.updatedBy === author
  if (own && saysAlready(control, proposed)) return true
  throw new Refusal('version_conflict', { extra: { current_version: control.version } })
}

/** Terms that conflict with the present ones are another change. */
function saysAlready({ terms }: ControlRow, proposed: () => ControlTerms): boolean {
  try {
    return isDeepStrictEqual(proposed(), terms)
  } catch (refusal) {
    if (refusal instanceof Refusal) return false
    throw refusal
  }
}
