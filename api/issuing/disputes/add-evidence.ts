// Adds evidence to a dispute that awaits its response. Chosen: text and named fields; files are not
// taken yet.
import type {
  DisputeEvidence,
  EvidenceFields,
  EvidenceKind,
} from '../../../shared/schemas/dispute.ts'
import type { Context } from '../../context.ts'
import { Refusal } from '../../http/refusal.ts'
import { requireState } from '../../write/move.ts'
import { write } from '../../write/write.ts'
import { insertEvidence } from './evidence-store.ts'
import { DISPUTE_MOVES, statusAt } from './states.ts'
import { lockDispute } from './store.ts'
import { evidenceView } from './view.ts'

const EVIDENCE_MAX = 100

interface EvidenceInput {
  disputeId: string
  kind: EvidenceKind
  text: string | null
  fields: EvidenceFields
}

/**
 * Chosen: evidence does not change the stage, therefore no event announces it; later events count
 * it.
 */
export async function addEvidence(
  context: Context,
  input: EvidenceInput,
): Promise<DisputeEvidence> {
  const { principal, now } = context
  if (input.text === null && Object.keys(input.fields).length === 0) {
    const message = 'Send text or fields: a kind alone says nothing.'
    throw new Refusal('parameter_missing', { param: 'text', message })
  }
  return write(context, async (sql) => {
    const dispute = await lockDispute(sql, principal, input.disputeId)
    if (dispute === null) throw new Refusal('resource_missing')
    requireState(statusAt(dispute, now), DISPUTE_MOVES.submit.from)
    if (dispute.evidenceCount >= EVIDENCE_MAX) throw new Refusal('too_much_evidence')
    const evidence = { id: context.newId('devd'), ...input, createdAt: now }
    return evidenceView(await insertEvidence(sql, principal, evidence))
  })
}
