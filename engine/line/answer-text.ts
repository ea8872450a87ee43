// The bytes of an answer, the same for a fresh decision and for one recalled from memory, on every door.
import {
  CODE_APPROVED,
  CODE_APPROVED_PARTLY,
  type DeclineReason,
  outwardReason,
  responseCodeOf,
} from '../../shared/decline-reason.ts'
import type { DecidedBy, MessageRecord } from '../../shared/wire/journal-entry.ts'
import type { RecalledAnswer } from '../state/recall-table.ts'

export interface AnswerFields {
  messageId: string
  transactionId: string | null
  approved: boolean
  approvedAmountCents: number
  responseCode: string
  authorizationCode: string | null
  declineReason: DeclineReason | null
  decidedBy: DecidedBy
  standIn: boolean
}

/** ISO 8583 field 39 of a decision; a partial approval is 10. */
export function responseCode(
  approved: boolean,
  approvedAmount: number,
  requested: number,
  reason: DeclineReason | null,
): string {
  if (reason !== null) return responseCodeOf(reason)
  return approved && approvedAmount < requested ? CODE_APPROVED_PARTLY : CODE_APPROVED
}

/** All keys always present, in one order; a reason that must not be revealed is replaced. Concatenation, no copies. */
export function answerText(fields: AnswerFields): string {
  return (
    '{"message_id":' +
    JSON.stringify(fields.messageId) +
    ',"transaction_id":' +
    quoted(fields.transactionId) +
    ',"approved":' +
    fields.approved +
    ',"approved_amount_cents":' +
    fields.approvedAmountCents +
    ',"response_code":"' +
    fields.responseCode +
    '","authorization_code":' +
    quoted(fields.authorizationCode) +
    ',"decline_reason":' +
    quoted(fields.declineReason === null ? null : outwardReason(fields.declineReason)) +
    ',"decided_by":"' +
    fields.decidedBy +
    '","stand_in":' +
    fields.standIn +
    '}'
  )
}

/** A recalled answer in the shape of a fresh one. */
export function recalledText(message: MessageRecord, earlier: RecalledAnswer): AnswerFields {
  return {
    messageId: message.id,
    transactionId: earlier.transactionId,
    approved: earlier.approved,
    approvedAmountCents: earlier.approvedAmountCents,
    responseCode: responseCode(
      earlier.approved,
      earlier.approvedAmountCents,
      message.amountCents,
      earlier.declineReason,
    ),
    authorizationCode: earlier.authorizationCode,
    declineReason: earlier.declineReason,
    decidedBy: earlier.decidedBy,
    standIn: earlier.standIn,
  }
}

/** Chosen: the same id with other content is HTTP 200, 94; the original stands; no row, no event. */
export function mismatchText(messageId: string, transactionId: string | null): string {
  return answerText({
    messageId,
    transactionId,
    approved: false,
    approvedAmountCents: 0,
    responseCode: responseCodeOf('duplicate_mismatch'),
    authorizationCode: null,
    declineReason: 'duplicate_mismatch',
    decidedBy: 'system',
    standIn: false,
  })
}

/** Ids, codes and reasons of our own making need no escaping. */
function quoted(text: string | null): string {
  return text === null ? 'null' : '"' + text + '"'
}
