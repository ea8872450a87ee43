// The effects of an operator's decision about an application: the approval opens live at once, with
// the program of the application, and the owners are told by mail.
import type { EpochMs } from '../../../shared/clock.ts'
import { writeMail } from '../../access/mails/index.ts'
import { listOwners } from '../../access/people/index.ts'
import type { TxSql } from '../../database/transaction.ts'
import { insertActiveProgram } from '../../issuing/programs/index.ts'
import { saveDecision } from './store.ts'

export interface KybDecision {
  tenantId: string
  tenantName: string
  decision: 'approved' | 'rejected'
  reason: string | null
  /** Id of the operator. */
  by: string
  /** Installation time. */
  now: EpochMs
}

interface DecisionWorld {
  seal: (context: string, plaintext: string) => string
  newId(prefix: string): string
}

/** Call this function in the transaction that saves the tenant's status, before its audit row. */
export async function applyKybDecision(
  sql: TxSql,
  { seal, newId }: DecisionWorld,
  decided: KybDecision,
): Promise<void> {
  const { tenantId, tenantName: tenant, decision, reason, now } = decided
  const application = await saveDecision(sql, decided)
  if (application !== null && decision === 'approved') {
    const owner = { tenantId, environment: 'live' as const }
    const { name, currency } = application.details.program
    // Spec 6.2: program.activated tells that live issuance is allowed.
    await insertActiveProgram(sql, owner, { id: newId('prog'), name, currency, now })
  }
  for (const { name, email: to } of await listOwners(sql, tenantId)) {
    if (decision === 'approved')
      await writeMail(
        sql,
        { seal, now },
        { to, template: 'kyb_approved', fields: { name, tenant } },
      )
    else {
      const fields = { name, tenant, reason: reason ?? '' }
      await writeMail(sql, { seal, now }, { to, template: 'kyb_rejected', fields })
    }
  }
}
