// The one control per card that `PUT /v1/cards/{id}/limits` writes. A replacement card inherits it,
// so its name comes from the first card of the chain.
import type { ControlLimitInput } from '../../../shared/schemas/control-limit.ts'
import { OPEN_TERMS } from '../../../shared/schemas/spending-control.ts'
import { ownControlId } from '../../../shared/wire/config-records.ts'
import type { TxSql } from '../../database/transaction.ts'
import { newLimits } from './limits.ts'
import { type Author, createControl, saveControl } from './save.ts'
import { findControl, type SubjectRow } from './store.ts'

export interface OwnLimits {
  subject: SubjectRow
  windowsId: string
  limits: readonly ControlLimitInput[]
}

/**
 * Replaces the limits of the card's own control; its other terms stay. The caller locks the card.
 */
export async function writeOwnLimits(
  sql: TxSql,
  author: Author,
  { subject, windowsId, limits }: OwnLimits,
): Promise<void> {
  const id = ownControlId(windowsId)
  const { owner, now } = author
  const own = await findControl(sql, owner, id)
  if (own === null) {
    if (limits.length === 0) return
    const terms = { ...OPEN_TERMS, limits: newLimits(limits, { held: [], subject, now }) }
    const { scope, id: subjectId } = subject
    await createControl(sql, author, { id, scope, subjectId, state: 'active', terms })
    return
  }
  // Chosen: a retired control binds again, with these limits and none of its earlier terms.
  const before = own.state === 'retired' ? OPEN_TERMS : own.terms
  const terms = {
    ...before,
    limits: newLimits(limits, { held: own.terms.limits, subject, now }),
  }
  const nothing = own.state === 'retired' && limits.length === 0
  if (!nothing) await saveControl(sql, author, own, { state: 'active', terms })
}
