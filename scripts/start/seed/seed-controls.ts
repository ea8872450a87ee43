// Spending controls of the sandbox, written as a caller would write them and by the same way.
import {
  createControl,
  newTerms,
  OPEN_TERMS,
} from '../../../api/resources/spending-controls/index.ts'
import { ownControlId } from '../../../shared/wire/facts.ts'
import type { ControlsPlan } from './sandbox-plan.ts'
import type { Seed } from './seed-sandbox.ts'

export interface SubjectPlan {
  scope: 'card' | 'cardholder'
  id: string
  tenantId: string
  currency: string
  draft: boolean
  controls: ControlsPlan
}

/** Gives each subject its first control; one that had it ever keeps what it has now. */
export async function seedControls(seed: Seed, subjects: readonly SubjectPlan[]): Promise<void> {
  const { sql, now } = seed
  const ids = subjects.map((subject) => ownControlId(subject.id))
  const rows = await sql<{ id: string }[]>`
    select id from spending_controls where id = any(${ids})`
  const known = new Set(rows.map((row) => row.id))
  for (const { scope, id: subjectId, tenantId, currency, draft, controls } of subjects) {
    const id = ownControlId(subjectId)
    if (known.has(id)) continue
    const subject = { scope, id: subjectId, currency, cardStatus: null }
    const terms = newTerms(OPEN_TERMS, controls, { subject, now })
    const author = { owner: { tenantId, environment: 'sandbox' as const }, keyId: null, now }
    const state = draft ? 'draft' : 'active'
    await createControl(sql, author, { id, scope, subjectId, state, terms })
  }
}
