// Creates a spending control. Chosen: it is active from the answer on unless the caller asks for a
// draft, because the writer of a restriction expects it to bind.
import {
  type ControlTermsInput,
  OPEN_TERMS,
  type SpendingControl,
} from '../../../shared/schemas/spending-control.ts'
import type { ControlScope } from '../../../shared/wire/config-records.ts'
import { authorOf, type Context } from '../../context.ts'
import type { TxSql } from '../../database/transaction.ts'
import { Refusal } from '../../http/refusal.ts'
import { requireUnerasedPerson } from '../../write/erased.ts'
import { requireFreeExternalId, type TenantFields } from '../../write/tenant-fields.ts'
import { writeConfirmed } from '../../write/write-confirmed.ts'
import { requireBindable } from './change.ts'
import { createControl } from './save.ts'
import { lockSubject } from './store.ts'
import { newTerms } from './terms.ts'
import { controlView } from './view.ts'

/** Repeating the call would create another control. */
const ADVICE = 'Send a PATCH to resource_id to wait for it; this call would make another.'

export interface NewControlInput {
  scope: ControlScope
  subjectId: string
  state: 'draft' | 'active'
  terms: ControlTermsInput
  own: TenantFields
}

/** The server never repeats this call, because each run creates another control. */
export async function createSpendingControl(
  context: Context,
  input: NewControlInput,
): Promise<SpendingControl> {
  const { principal, now } = context
  const change = async (sql: TxSql) => {
    const { scope, subjectId, state, own } = input
    const subject = await lockSubject(sql, principal, { scope, id: subjectId })
    if (subject === null) throw new Refusal('resource_missing', { param: 'subject_id' })
    requireBindable(subject)
    await requireUnerasedPerson(sql, principal, subjectId)
    const author = { owner: principal, createdBy: authorOf(principal), now }
    const terms = newTerms(OPEN_TERMS, input.terms, { subject, now })
    const id = context.newId('ctl')
    await requireFreeExternalId(sql, principal, { table: 'spending_controls', ...own, id })
    const control = { id, scope, subjectId, state, own, terms }
    return controlView(await createControl(sql, author, control))
  }
  return writeConfirmed(context, change, { advice: ADVICE })
}
