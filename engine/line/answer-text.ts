// The bytes of an answer, the same for a fresh decision and for one recalled from memory, on every door.
import {
  CODE_APPROVED,
  CODE_APPROVED_PARTLY,
  CODE_VERIFIED,
  type DeclineReason,
  outwardReason,
  responseCodeOf,
} from '../../shared/decline-reason.ts'
import type { MessageKind } from '../../shared/schemas/network-message.ts'
import type { DecidedBy, DecisionEntry, MessageRecord } from '../../shared/wire/journal-entry.ts'
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
  /** Of a balance inquiry only. */
  availableCents: number | null
}

/** ISO 8583 field 39 of an approval: a part of the amount is 10, a verified account 85. */
export function approvalCode(kind: MessageKind, approvedAmount: number, requested: number): string {
  if (kind === 'account_verification') return CODE_VERIFIED
  return approvedAmount < requested ? CODE_APPROVED_PARTLY : CODE_APPROVED
}

/**
 * All keys always present, in one order; a reason that must not be revealed is replaced. Of as few pieces as may be: each is an
 * object until the answer leaves. Ids, codes and reasons of our own making need no escaping.
 */
export function answerText(fields: AnswerFields): string {
  const { transactionId, authorizationCode, declineReason, availableCents } = fields
  return (
    '{"message_id":' +
    JSON.stringify(fields.messageId) +
    (transactionId === null
      ? ',"transaction_id":null'
      : ',"transaction_id":"' + transactionId + '"') +
    (fields.approved
      ? ',"approved":true,"approved_amount_cents":'
      : ',"approved":false,"approved_amount_cents":') +
    fields.approvedAmountCents +
    ',"response_code":"' +
    fields.responseCode +
    (authorizationCode === null
      ? '","authorization_code":null'
      : '","authorization_code":"' + authorizationCode + '"') +
    (declineReason === null
      ? ',"decline_reason":null,"decided_by":"'
      : ',"decline_reason":"' + outwardReason(declineReason) + '","decided_by":"') +
    fields.decidedBy +
    (fields.standIn ? '","stand_in":true' : '","stand_in":false') +
    (availableCents === null ? '}' : ',"available_amount_cents":' + availableCents + '}')
  )
}

/** The answer to a message that was decided or recorded. */
export function answerOf({ message, transactionId, decision }: DecisionEntry): AnswerFields {
  return {
    messageId: message.id,
    transactionId,
    approved: decision.approved,
    approvedAmountCents: decision.approvedAmountCents,
    responseCode: decision.responseCode,
    authorizationCode: decision.authorizationCode,
    declineReason: decision.declineReason,
    decidedBy: decision.decidedBy,
    standIn: decision.standIn,
    availableCents: decision.availableCents,
  }
}

/**
 * The answer to a fact on a transaction: everything in it follows from the message, so that one repeated long after its answer
 * was forgotten gets the same.
 */
export function factAnswer(message: MessageRecord, transactionId: string): AnswerFields {
  const { advice } = message
  const approved = advice === null || advice.approved
  return {
    messageId: message.id,
    transactionId,
    approved,
    approvedAmountCents: approved ? message.amountCents : 0,
    responseCode: approved ? CODE_APPROVED : advice.code,
    authorizationCode: null,
    declineReason: approved ? null : 'network_stand_in_declined',
    decidedBy: advice === null ? 'network' : advice.decidedBy,
    standIn: false,
    availableCents: null,
  }
}

/** A recalled answer in the shape of a fresh one. */
export function recalledText(message: MessageRecord, earlier: RecalledAnswer): AnswerFields {
  return {
    messageId: message.id,
    transactionId: earlier.transactionId,
    approved: earlier.approved,
    approvedAmountCents: earlier.approvedAmountCents,
    responseCode:
      earlier.advisedCode ??
      (earlier.declineReason === null
        ? approvalCode(message.kind, earlier.approvedAmountCents, message.amountCents)
        : responseCodeOf(earlier.declineReason)),
    authorizationCode: earlier.authorizationCode,
    declineReason: earlier.declineReason,
    decidedBy: earlier.decidedBy,
    standIn: earlier.standIn,
    availableCents: earlier.availableCents,
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
    availableCents: null,
  })
}
