// The meaning and the remedy of the decline reasons that a tenant may give in its reply.
import type { Explained } from './value-explanation.ts'

export const TENANT_DECLINE_REFERENCE = {
  tenant_declined: {
    meaning: 'You declined without a reason, or with a reason in your own words.',
    remedy: 'Your own words are in `webhook.decline_reason` of the decision.',
  },
  insufficient_funds: {
    meaning: 'You declined because the balance that you keep does not cover the amount.',
    remedy: 'The cardholder adds funds. A merchant may retry later.',
  },
  exceeds_limit: {
    meaning: 'You declined because the amount exceeds a limit that you keep.',
    remedy: 'Raise your limit, or the cardholder pays less.',
  },
  exceeds_frequency: {
    meaning: 'You declined because the card is used too often.',
    remedy: 'The cardholder waits.',
  },
  merchant_not_allowed: {
    meaning: 'You declined the merchant. The network tells the merchant never to retry.',
    remedy: 'Use another reason where the merchant may become allowed.',
  },
  card_paused: {
    meaning: 'You declined because you paused the card on your side.',
    remedy: 'End the pause; a merchant may retry later.',
  },
  suspected_fraud: {
    meaning: 'You declined because you suspect fraud. The network reads `do_not_honor`.',
    remedy: 'Speak with the cardholder; suspend or replace the card.',
  },
  not_permitted: {
    meaning: 'You do not permit this payment. The network tells the merchant never to retry.',
    remedy: 'Use another reason where the payment may become permitted.',
  },
  duplicate: {
    meaning: 'You take the payment for a repetition of an earlier one.',
    remedy: 'The merchant must not retry.',
  },
  invalid_driver: {
    meaning: 'The driver’s id that goes with the payment is wrong.',
    remedy: 'The driver enters it again.',
  },
  invalid_vehicle: {
    meaning: 'The vehicle’s id that goes with the payment is wrong.',
    remedy: 'The driver enters it again.',
  },
  invalid_id: {
    meaning: 'Another id that goes with the payment is wrong.',
    remedy: 'The cardholder enters it again.',
  },
  do_not_honor: {
    meaning: 'You declined and say no more. A merchant may retry later.',
    remedy: 'Give a narrower reason where you can: merchants decide by it whether to retry.',
  },
  system_unavailable: {
    meaning: 'Your own system could not decide.',
    remedy: 'Use it instead of a silence that you expect: the decline comes at once.',
  },
  never_retry: {
    meaning: 'You declined, and the merchant is never to retry.',
    remedy: 'Use it to end a subscription.',
  },
  other: {
    meaning: 'You declined for a reason that is none of the others.',
    remedy: 'A merchant may retry later.',
  },
} as const satisfies Explained<string>

export type TenantDecline = keyof typeof TENANT_DECLINE_REFERENCE
