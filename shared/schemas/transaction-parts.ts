// Parts of the public shape that a card transaction and each of its messages have in common.
import { isoInstant } from '../clock.ts'
import { currencyExponent } from '../money.ts'
import { openHold, type Sums } from '../transaction-sums.ts'
import type {
  AuthorizationRecord,
  CardRecord,
  Decision,
  Effect,
  FxRecord,
  MessageRecord,
} from '../wire/decision-record.ts'
import type { MessageKind } from './network-message.ts'

/** The sums of all messages, in minor units of the card's currency. */
export function sumsBody(sums: Sums) {
  return {
    authorized_cents: sums.authorized,
    incremented_cents: sums.incremented,
    adjusted_cents: sums.adjusted,
    reversed_cents: sums.reversed,
    expired_cents: sums.expired,
    released_cents: sums.released,
    captured_cents: sums.captured,
    capture_reversed_cents: sums.captureReversed,
    refunded_cents: sums.refunded,
    refund_reversed_cents: sums.refundReversed,
    open_hold_cents: openHold(sums),
  }
}

/** ISO 8583 message types of the kinds; clearing sends a capture. */
const MTIS: { readonly [kind in MessageKind]: string } = {
  authorization: '0100',
  incremental: '0100',
  account_verification: '0100',
  balance_inquiry: '0100',
  advice: '0120',
  reversal: '0400',
  capture: '0220',
  refund: '0220',
  capture_reversal: '0420',
  refund_reversal: '0420',
}

/** The network's message, without the money. */
export function messageBody(message: MessageRecord) {
  return {
    id: message.id,
    kind: message.kind,
    mti: MTIS[message.kind],
    is_repeat: message.isRepeat,
    is_advice: message.kind === 'advice',
    is_final: message.final,
    network: message.network,
    network_transaction_id: message.networkTransactionId,
    original_network_transaction_id: message.originalNetworkTransactionId,
    transmitted_at: isoInstant(message.transmittedAtMs),
  }
}

/** An amount with the number of decimals its currency has. */
export function money(amount: number, currency: string) {
  return { amount, currency, exponent: currencyExponent(currency) }
}

/**
 * Returns the requested amount as the card counts it: in the message's own currency if nothing was
 * converted.
 */
export function cardholderAmount(
  { message, fx, cardAmountCents }: AuthorizationRecord,
  card: CardRecord,
) {
  return fx === null
    ? money(message.amountCents, message.currency)
    : money(cardAmountCents, card.currency)
}

/**
 * Returns the approved amount in the card's currency, as everything else. The answer to the network
 * has the currency of its message.
 */
export function approvedCents(
  fx: FxRecord | null,
  decision: Decision,
  effect: Effect | null,
): number {
  return fx === null || effect === null || !decision.approved
    ? decision.approvedAmountCents
    : effect.amountCents
}

/** How an amount was converted, or null. */
export function fxBody(fx: FxRecord | null) {
  if (fx === null) return null
  return {
    rate: fx.rate,
    source: fx.source,
    rate_at: fx.rateAtMs === null ? null : isoInstant(fx.rateAtMs),
    markup_bps: fx.marginBps,
    verified: fx.verified ?? null,
  }
}
