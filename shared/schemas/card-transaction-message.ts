// One message about a card transaction, or the expiry of its hold, as the outside sees it: the
// message, the decision and the effect. The transaction itself shows the latest authorization
// request and compact lists of the rest.
import { isoInstant, unixSeconds } from '../clock.ts'
import { flagNames, transactionStatus } from '../transaction-sums.ts'
import type { DecisionEntry, Effect, ExpiryEntry } from '../wire/journal-entry.ts'
import { decisionBody, type LateReply } from './transaction-decision.ts'
import { momentId } from './transaction-moments.ts'
import { cardholderAmount, fxBody, messageBody, money, sumsBody } from './transaction-parts.ts'

export interface MessageSource {
  transactionId: string
  entry: DecisionEntry | ExpiryEntry
  effect: Effect
  late: LateReply | null
}

export type CardTransactionMessage = ReturnType<typeof cardTransactionMessage>

/**
 * `status`, `flags` and `sums` are those of the transaction after it; `amount_cents` is the moved
 * amount.
 */
export function cardTransactionMessage({ transactionId, entry, effect, late }: MessageSource) {
  const { sequence, sums, flags, holdExpiresAtMs } = effect
  const expired = entry.kind === 'expiry'
  return {
    id: momentId(transactionId, sequence),
    object: 'card_transaction_message' as const,
    transaction_id: transactionId,
    sequence,
    created: unixSeconds(expired ? entry.expiredAtMs : entry.receivedAtMs),
    kind: expired ? ('expiry' as const) : entry.message.kind,
    event: 'card.transaction.' + effect.event,
    amount_cents: effect.amountCents,
    status: transactionStatus(sums, flags),
    flags: flagNames(flags),
    sums: sumsBody(sums),
    hold_expires_at: holdExpiresAtMs === 0 ? null : isoInstant(holdExpiresAtMs),
    ...(expired ? NOBODY_ASKED : askedBody(entry, late)),
  }
}

const NOBODY_ASKED = {
  authorization_request_id: null,
  message: null,
  amounts: null,
  decision: null,
}

function askedBody(entry: DecisionEntry, late: LateReply | null) {
  const { message, card } = entry
  if (card === null) return NOBODY_ASKED
  return {
    authorization_request_id: entry.requestId,
    message: messageBody(message),
    amounts: {
      merchant: money(message.amountCents, message.currency),
      cardholder: cardholderAmount(entry, card),
      fx: fxBody(entry.fx),
    },
    decision: decisionBody(
      { record: { ...entry, card }, effect: entry.effect, late },
      entry.decision,
    ),
  }
}
