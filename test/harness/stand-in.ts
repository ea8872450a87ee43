// Entries of authorization requests on which stand-in has a verdict.
import { newId } from '../../shared/id.ts'
import type { DecisionEntry, TenantOutcome } from '../../shared/wire/journal-entry.ts'
import { decisionEntry } from './entries.ts'
import { SEEDED_AT_MS, type TestTenant } from './tenant.ts'

export interface Question {
  outcome: TenantOutcome
  /** The stand-in verdict; null if no tenant could be asked. */
  would: boolean | null
  standIn?: boolean
  atMs?: number
}

/** A decided request, with the parts that the report of stand-in counts. */
export function requestOf(
  tenant: TestTenant,
  { outcome, would, standIn = false, atMs = 0 }: Question,
) {
  const like = decisionEntry({})
  const { card, decision } = like
  if (card === null || decision.tenant === null) throw new Error('the entry asked its tenant')
  const id = newId('txn', SEEDED_AT_MS)
  const entry: DecisionEntry = {
    ...like,
    transactionId: id,
    environment: tenant.environment,
    receivedAtMs: SEEDED_AT_MS + atMs,
    message: { ...like.message, id: 'msg-' + id },
    card: {
      ...card,
      tenantId: tenant.tenantId,
      programId: tenant.programId,
      cardholderId: tenant.cardholderId,
      cardId: tenant.cardId,
    },
    decision: {
      ...decision,
      standIn,
      tenant: { ...decision.tenant, outcome },
      standInWould: would === null ? null : { approve: would, reason: null },
    },
  }
  return entry
}
