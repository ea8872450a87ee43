// The outcome of an authorization request, and the bytes of its answer. The bytes follow from
// stored data, so a repeat gets the same.
import {
  CODE_APPROVED,
  type DeclineReason,
  outwardReason,
  responseCodeOf,
} from '../../shared/decline-reason.ts'
import type { NetworkAnswer } from '../../shared/schemas/network-message.ts'

/** As it was kept with the first message of this id, this one or another. */
export interface Outcome {
  content: string
  transactionId: string
  /** Null where it was approved. */
  reason: string | null
  authorizationCode: string | null
}

/** An outcome as PostgreSQL keeps it. */
export interface Kept {
  content: string
  transaction_id: string
  reason: string | null
  authorization_code: string | null
}

export function outcomeOf(row: Kept): Outcome {
  const { content, transaction_id: transactionId, reason, authorization_code: code } = row
  return { content, transactionId, reason, authorizationCode: code }
}

/**
 * The bytes of the answer: to the first message, to a repeat, or to other content under the same
 * id.
 */
export function answerTo(
  asked: { id: string; content: string; amountCents: number },
  outcome: Outcome,
): string {
  const same = outcome.content === asked.content
  const reason = (same ? outcome.reason : 'duplicate_mismatch') as DeclineReason | null
  const approved = reason === null
  const answer: NetworkAnswer = {
    message_id: asked.id,
    transaction_id: outcome.transactionId,
    approved,
    approved_amount_cents: approved ? asked.amountCents : 0,
    response_code: approved ? CODE_APPROVED : responseCodeOf(reason),
    authorization_code: approved ? outcome.authorizationCode : null,
    decline_reason: approved ? null : outwardReason(reason),
    decided_by: same ? 'static_controls' : 'system',
    stand_in: false,
  }
  return JSON.stringify(answer)
}
