// The sponsor bank wants more evidence by a deadline. Spec 6.2, dispute.evidence_required.
import { type EpochMs, isoInstant } from '../../../shared/clock.ts'
import type { Dispute } from '../../../shared/schemas/dispute.ts'
import type { OperatorContext, Owner } from '../../context.ts'
import type { TxSql } from '../../database/transaction.ts'
import { Refusal } from '../../http/refusal.ts'
import { write } from '../../write/write.ts'
import { moveDispute } from './move.ts'
import { ownerOfDispute } from './store.ts'

/** Chosen: the time for evidence if the sponsor bank names no deadline. */
const EVIDENCE_MS = 10 * 86_400_000
/** Chosen: the longest deadline. */
const EVIDENCE_MS_MAX = 365 * 86_400_000

interface Requirement {
  id: string
  /** In the sponsor bank's words. */
  requested: string
  /** By the tenant's clock; null for the usual time. */
  dueBy: EpochMs | null
}

/** An operator names a dispute of any tenant. */
export async function requireEvidence(
  context: OperatorContext,
  requirement: Requirement,
): Promise<Dispute> {
  return write(context, async (sql) => {
    const owner = await ownerOfDispute(sql, requirement.id)
    if (owner === null) throw new Refusal('resource_missing')
    const now = context.now + owner.clockOffsetMs
    return askForEvidence(sql, owner, { ...requirement, now })
  })
}

/**
 * Chosen: a dispute that already awaits its response may get another deadline; only a submitted one
 * changes its stage. `now` is by the tenant's clock.
 */
export async function askForEvidence(
  sql: TxSql,
  owner: Owner,
  { id, requested, dueBy, now }: Requirement & { now: EpochMs },
): Promise<Dispute> {
  const evidenceDueBy = dueBy ?? now + EVIDENCE_MS
  if (evidenceDueBy <= now || evidenceDueBy > now + EVIDENCE_MS_MAX) {
    const message = 'This field must be at most a year after ' + isoInstant(now) + '.'
    throw new Refusal('parameter_invalid', { param: 'due_by', message })
  }
  const change = { evidenceDueBy, evidenceRequested: requested }
  return moveDispute(sql, owner, { id, move: 'requireEvidence', now, change })
}
