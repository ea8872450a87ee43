// The meaning and the remedy of the values that describe a transaction, for the reference: flags,
// authors of decisions, outcomes of the real-time call, stand-in caps, advice to merchants. A value
// without a row here does not compile.
import type { RetryAdvice } from './decline-reason.ts'
import type { TransactionFlag } from './transaction-sums.ts'
import type { Explained } from './value-explanation.ts'
import type { DecidedBy, TenantOutcome } from './wire/journal-entry.ts'

const NOTHING = 'Nothing is to be done.'

export const FLAG_REFERENCE: Explained<TransactionFlag> = {
  declined: {
    meaning: 'The first authorization was declined, and nothing was posted since.',
    remedy: 'Read `decision`; see the decline reasons.',
  },
  force_post: {
    meaning: 'A capture came without any authorization.',
    remedy: 'Book it: the network owes you no authorization. Dispute it where it is wrong.',
  },
  captured_after_expiry: {
    meaning: 'A capture came after the hold ended.',
    remedy: 'Book it although the hold is gone.',
  },
  captured_after_reversal: {
    meaning: 'A capture came after the authorization was reversed.',
    remedy: 'Book it; dispute it where the merchant should not have captured.',
  },
  captured_after_decline: {
    meaning: 'A capture came although the authorization was declined.',
    remedy: 'Book it; dispute it where the merchant should not have captured.',
  },
  over_captured: {
    meaning: 'More was captured than was authorized.',
    remedy: 'Usual for tips and fuel. Dispute the difference where it is wrong.',
  },
  over_refunded: {
    meaning: 'More was refunded than was captured.',
    remedy: 'Book it; ask the merchant where it looks wrong.',
  },
  limit_overrun: {
    meaning: 'A notification of the network exceeded a limit: a notification is never declined.',
    remedy: 'Lower other limits or suspend the card where the amount is too much.',
  },
  reversed_before_authorization: {
    meaning: 'The reversal came before its authorization, which is declined when it comes.',
    remedy: NOTHING,
  },
  captured_before_authorization: {
    meaning: 'The capture came before its authorization.',
    remedy: NOTHING,
  },
  final: {
    meaning: 'The last capture of the merchant has come; the rest of the hold is released.',
    remedy: NOTHING,
  },
  unlinked: {
    meaning: 'A refund that belongs to no known transaction.',
    remedy: 'Book it as a credit of the card.',
  },
  over_reversed: {
    meaning: 'More was reversed before capture than was held.',
    remedy: 'Nothing is to be done: the hold is 0 and not less.',
  },
  amount_advised: {
    meaning: 'The network told the final amount, and the hold is exactly that.',
    remedy: NOTHING,
  },
  billing_mismatch: {
    meaning: 'The billing amount of the network is outside the tolerance of the program.',
    remedy: 'Compare both amounts with your network, and dispute the difference where it is wrong.',
  },
  components_exceed_amount: {
    meaning: 'Cashback and fee of a notification exceed the amount that contains them.',
    remedy: 'Ask the network about the message; the amount itself is counted as it came.',
  },
  reversal_before_original: {
    meaning: 'A capture reversal or refund reversal came before its original and waits for it.',
    remedy: 'Nothing to do: it is applied when the original comes.',
  },
  unconverted: {
    meaning: 'A notification came in a currency without a rate: none of the sums counts it.',
    remedy: 'Ask your contact for the rate, and book the amount of the message by hand.',
  },
  awaits_original: {
    meaning: 'An unlinked refund names its transaction, which is not known yet.',
    remedy: 'Nothing is to be done: the transaction joins it here when it comes.',
  },
}

export const DECIDED_BY_REFERENCE: Explained<DecidedBy> = {
  static_controls: {
    meaning:
      'The service decided by states, verification results, spending controls and fraud rules. No endpoint was asked, or a rule declined before it.',
    remedy: 'For a decline read `decline_detail` and `trace`.',
  },
  tenant: {
    meaning: 'Your real-time endpoint answered in time, and its answer counted.',
    remedy: 'Your answer is in `webhook` of the decision.',
  },
  stand_in: {
    meaning:
      'Your real-time endpoint was to be asked and gave no usable answer: your stand-in policy decided.',
    remedy: 'Read `webhook.outcome` and `stand_in_detail`, and repair the endpoint.',
  },
  system: {
    meaning: 'The service declined because it could not decide safely in time.',
    remedy: 'The merchant repeats the payment.',
  },
  network: {
    meaning: 'The card network decided in our place and told it with an advice.',
    remedy: 'Book it as decided: the network has answered the merchant already.',
  },
  sponsor_bank: {
    meaning: 'The sponsor bank decided in our place and told it with an advice.',
    remedy: 'Book it as decided: the bank has answered the merchant already.',
  },
}

export const OUTCOME_REFERENCE: Explained<TenantOutcome> = {
  answered_approve: { meaning: 'You answered `approve: true` in time.', remedy: NOTHING },
  answered_decline: { meaning: 'You answered `approve: false` in time.', remedy: NOTHING },
  timeout_connect: {
    meaning: 'No connection to your endpoint came about in time.',
    remedy: 'Look at firewalls and load balancers; keep connections open.',
  },
  timeout_response: {
    meaning: 'The whole answer was not there when the budget ended.',
    remedy: 'Answer within `Svc-Deadline-Ms`. Decide from the request alone, without calls back.',
  },
  connection_error: {
    meaning: 'The connection failed; `error_hint` says how.',
    remedy: 'Look at the address, its DNS name and the server. Private addresses are refused.',
  },
  tls_error: {
    meaning: 'The TLS handshake failed.',
    remedy: 'Renew the certificate; serve its whole chain and the name of the URL.',
  },
  http_status: {
    meaning: 'The answer had a status outside 200 to 299. Redirects are not followed.',
    remedy: 'Answer 200 for approvals and for declines.',
  },
  malformed_json: {
    meaning: 'The body was not JSON in UTF-8.',
    remedy: 'Let a JSON library write the body.',
  },
  malformed_schema: {
    meaning: 'The body was no object with a boolean `approve`, or the status was 204.',
    remedy: 'Send `{"approve": true}` or `{"approve": false, "decline_reason": "…"}`.',
  },
  oversized: {
    meaning: 'The answer was larger than 16 KB.',
    remedy: 'Send the documented fields only.',
  },
  bulkhead_full: {
    meaning: '256 requests to you were open at once, and this one was not sent.',
    remedy: 'Answer faster; the requests to other tenants are not affected.',
  },
  breaker_open: {
    meaning: 'The circuit breaker of your endpoint was open, and the request was not sent.',
    remedy: 'Repair the endpoint: a probe each second closes the breaker by itself.',
  },
  not_configured: {
    meaning: 'No enabled real-time endpoint exists: the spending controls decided alone.',
    remedy: 'Call `POST /v1/webhook_endpoints/{id}/make_realtime`, or enable the endpoint.',
  },
}

export const STAND_IN_CAPS = ['kind', 'per_authorization', 'per_card_per_day', 'per_hour'] as const
export type StandInCap = (typeof STAND_IN_CAPS)[number]

export const STAND_IN_CAP_REFERENCE: Explained<StandInCap> = {
  kind: {
    meaning: 'The kind stands in `excluded_kinds` of the stand-in policy.',
    remedy: 'Remove the kind from `excluded_kinds` where stand-in may approve it.',
  },
  per_authorization: {
    meaning: 'The amount exceeds `max_per_authorization_cents`.',
    remedy: 'Raise the cap.',
  },
  per_card_per_day: {
    meaning: 'Stand-in approved `max_per_card_per_day_cents` of this card today (UTC) already.',
    remedy: 'Raise the cap, or wait for the next day.',
  },
  per_hour: {
    meaning: 'Stand-in approved `max_per_hour_cents` of all your cards within the hour already.',
    remedy: 'Raise the cap, or repair the endpoint.',
  },
}

export const RETRY_ADVICE_REFERENCE: Explained<RetryAdvice> = {
  never: {
    meaning: 'The network tells the merchant never to send this payment again.',
    remedy: 'The cardholder uses another card.',
  },
  later: { meaning: 'The same payment may be approved later.', remedy: 'The merchant waits.' },
  fix_data: {
    meaning: 'Another entry of the data may be approved.',
    remedy: 'The cardholder corrects number, expiry, code or way of payment.',
  },
  authenticate: {
    meaning: 'The payment may be approved with an authentication of the cardholder.',
    remedy: 'The merchant repeats it with 3DS or a PIN.',
  },
}
