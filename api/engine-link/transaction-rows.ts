// The rows of a transaction and of its messages, by the names of their columns.
import { assert } from '../../shared/assert.ts'
import { authorizationKind } from '../../shared/authorization-kind.ts'
import { approvedCents, cardholderAmount } from '../../shared/schemas/transaction-parts.ts'
import { noSums, transactionStatus } from '../../shared/transaction-sums.ts'
import type { Decision } from '../../shared/wire/journal-entry.ts'
import type { LivedMoment } from './batch.ts'
import type { Life } from './transaction-life.ts'

export type TransactionRow = ReturnType<typeof transactionRow>
export type MessageRow = ReturnType<typeof messageRow>

/**
 * A transaction as it is after its batch; `seq` is its place in the tenant's list. Throws when its
 * authorization request has no card.
 */
export function transactionRow(life: Life, seq: number) {
  const { request } = life
  const { message, decision, card, effect } = request
  assert(card !== null, 'a transaction has a card')
  const requested = cardholderAmount(request, card)
  return {
    id: life.id,
    tenant_id: life.tenantId,
    environment: life.environment,
    seq,
    card_id: life.cardId,
    cardholder_id: life.cardholderId,
    network: life.network,
    network_transaction_id: life.networkTransactionId,
    original_transaction_id: life.originalTransactionId,
    created_at: life.createdAt,
    status: transactionStatus({ ...noSums(), ...life.sums }, life.flags),
    kind: authorizationKind(message),
    amount_cents: requested.amount,
    approved_cents: approvedCents(request.fx, decision, effect),
    currency: requested.currency,
    decline_reason: decision.declineReason,
    stand_in: life.standIn,
    sequence: life.sequence,
    question_sequence: life.requestSequence,
    /** As JSON. */
    sums: JSON.stringify(life.sums),
    flags: life.flags,
    hold_expires_at: life.holdExpiresAt,
    late_outcome: life.lateOutcome,
    late_ms: life.lateMs,
    late_disagrees: life.lateDisagrees,
    late_sequence: life.lateSequence,
    merchant_id: message.merchantId,
    merchant_name: message.merchantName,
    mcc: message.mcc,
  }
}

/** One message or expiry of a transaction, with the bytes of its entry. */
export function messageRow({ transactionId, network, eventType, moment, entry }: LivedMoment) {
  return {
    transaction_id: transactionId,
    sequence: moment.sequence,
    kind: moment.kind,
    network,
    message_id: moment.messageId,
    amount_cents: moment.amountCents,
    event_type: eventType,
    decline_reason: moment.declineReason,
    status: moment.status,
    flags: moment.flags,
    happened_at: moment.createdAtMs,
    journal_seq: entry.seq,
    entry: entry.bytes,
    ...standInColumns(entry.to === 'expiry' ? null : entry.entry.decision),
  }
}

/**
 * Columns of an authorization request that was to be sent to the tenant; stand-in has a verdict on
 * each.
 */
function standInColumns(decision: Decision | null) {
  const would = decision?.standInWould ?? null
  return {
    tenant_outcome: decision?.tenant?.outcome ?? null,
    stand_in: would === null ? null : (decision?.standIn ?? null),
    stand_in_would_approve: would?.approve ?? null,
  }
}
