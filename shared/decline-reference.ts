// The meaning and the remedy of every decline reason, for the reference. A reason without a row
// here does not compile.
import type { DeclineReason } from './decline-reason.ts'
import { TENANT_DECLINE_REFERENCE, type TenantDecline } from './tenant-decline-reference.ts'
import type { Explained } from './value-explanation.ts'

/** Reasons that the service itself gives. */
const SERVICE_DECLINE_REFERENCE: Explained<Exclude<DeclineReason, TenantDecline>> = {
  program_suspended: {
    meaning: 'The program of the card is suspended, and every authorization in it is declined.',
    remedy:
      'Read `suspended_by` and `suspend_reason` of the program and ask your contact to resume it.',
  },
  program_not_active: {
    meaning: 'The program of the card was not activated yet, or its activation was rejected.',
    remedy: 'Wait for `program.activated`. Only an operator activates a program.',
  },
  card_not_found: {
    meaning: 'No card of this environment has the number or token that the network sent.',
    remedy:
      'Compare the token, and check that the card and the network key are of one environment.',
  },
  card_not_activated: {
    meaning: 'A physical card was used before its cardholder activated it.',
    remedy: 'Call `POST /v1/cards/{id}/activate` once the cardholder has the card in hand.',
  },
  card_suspended: {
    meaning: 'The card is suspended.',
    remedy:
      'Read `suspended_by` and `suspend_reason` of the card; `POST /v1/cards/{id}/resume` lifts your own suspension.',
  },
  card_terminated: {
    meaning: 'The card was terminated, which is permanent.',
    remedy: 'Issue a new card. `POST /v1/cards/{id}/replace` is for cards that still exist.',
  },
  card_lost: {
    meaning: 'The card was terminated with the reason `lost`.',
    remedy: 'Give the cardholder another card. The network tells the merchant never to retry.',
  },
  card_stolen: {
    meaning: 'The card was terminated with the reason `stolen`.',
    remedy:
      'Give the cardholder another card and look at the latest authorizations of the old one.',
  },
  card_expired: {
    meaning: 'The card is past the end of its month of expiry.',
    remedy:
      'Replace the card with `POST /v1/cards/{id}/replace`; a merchant needs the new details.',
  },
  cardholder_inactive: {
    meaning: 'The cardholder is not active.',
    remedy: 'Set the status of the cardholder to `active`.',
  },
  cardholder_frozen: {
    meaning:
      'The cardholder is frozen, by you, by an operator or pending a sanctions review. The network reads `cardholder_inactive` instead.',
    remedy:
      'Read `frozen_by` of the cardholder. You lift your own freeze; an operator decides a review.',
  },
  cardholder_verification_required: {
    meaning: 'The identity of the cardholder is not verified.',
    remedy: 'Ask for a verification and wait for `cardholder.kyc.completed`.',
  },
  pin_incorrect: {
    meaning: 'The PIN does not match.',
    remedy: 'The cardholder tries again; after three wrong PINs in a row no PIN is right any more.',
  },
  pin_tries_exceeded: {
    meaning: 'Three wrong PINs came in a row, and the PIN is blocked.',
    remedy: 'Set a PIN with `PUT /v1/cards/{id}/pin`, which starts the count again.',
  },
  authentication_required: {
    meaning: 'A spending control demands a 3DS authentication, and this payment had none.',
    remedy:
      'The merchant repeats the payment with 3DS, or you change `authentication` of the control.',
  },
  authentication_failed: {
    meaning: 'The 3DS authentication of this payment failed.',
    remedy: 'The cardholder authenticates again. Repeated failures may be an attempt at fraud.',
  },
  insecure_entry_method: {
    meaning: 'The stripe of a chip card was read, and a spending control blocks this fallback.',
    remedy: 'The cardholder uses the chip, or you change `fallback` of the control.',
  },
  token_inactive: {
    meaning: 'The wallet token is suspended, deactivated or unknown.',
    remedy:
      'Read `/v1/wallet_tokens`; the cardholder adds the card to the wallet again if need be.',
  },
  cvc_mismatch: {
    meaning: 'The security code does not match.',
    remedy: 'The cardholder enters the code again.',
  },
  expiry_mismatch: {
    meaning: 'The expiry that the merchant sent is not that of the card.',
    remedy: 'The cardholder enters the expiry again; after a replacement the old one is wrong.',
  },
  currency_blocked: {
    meaning: 'A spending control does not allow this currency.',
    remedy: 'Change `allowed_currencies` or `blocked_currencies` of the control.',
  },
  merchant_category_blocked: {
    meaning: 'A spending control does not allow the category of the merchant.',
    remedy: 'Change the categories or MCCs of the control that `decline_detail` names.',
  },
  merchant_blocked: {
    meaning: 'A spending control does not allow this merchant.',
    remedy:
      'Change the merchant ids or the `merchant_lock` of the control that `decline_detail` names.',
  },
  merchant_country_blocked: {
    meaning: 'A spending control does not allow the country of the merchant.',
    remedy: 'Change the countries of the control that `decline_detail` names.',
  },
  card_presence_blocked: {
    meaning: 'A spending control allows this card only with, or only without, the card present.',
    remedy: 'Change `card_presence` of the control that `decline_detail` names.',
  },
  entry_method_blocked: {
    meaning: 'A spending control does not allow the way in which the card was read.',
    remedy: 'The cardholder pays another way, or you change the entry methods of the control.',
  },
  transaction_kind_blocked: {
    meaning: 'A spending control does not allow this kind of authorization, such as cash.',
    remedy: 'Change the kinds of the control that `decline_detail` names.',
  },
  wallet_blocked: {
    meaning: 'A spending control does not allow this wallet, or demands one.',
    remedy: 'Change the wallets of the control that `decline_detail` names.',
  },
  schedule_blocked: {
    meaning: 'The authorization came outside the schedule of a spending control.',
    remedy: 'The cardholder waits for the next period, or you change `schedule` of the control.',
  },
  card_single_use_spent: {
    meaning: 'A control for a single use or for a number of uses is used up.',
    remedy: 'Make another card or control. The amount of a single use has to match `single_use`.',
  },
  fx_rate_unavailable: {
    meaning: 'No exchange rate between the two currencies is known.',
    remedy: 'Ask your contact for the rate. The merchant may try later.',
  },
  billing_amount_mismatch: {
    meaning:
      'The billing amount of the network is further from our own rate than `billing_tolerance_bps` of the program allows.',
    remedy:
      'Compare both rates in `amounts.fx`. Raise the tolerance, or set `billing_mismatch_action` to `take_larger`.',
  },
  credit_limit: {
    meaning: 'A refund or payout exceeds the `credit_limit` of the program.',
    remedy: 'Check the merchant. Raise `credit_limit` of the program if such credits are expected.',
  },
  card_testing_suspected: {
    meaning:
      'The fraud rule `card_testing` stopped the card: too many small authorizations. The network reads `do_not_honor`.',
    remedy:
      'Look at the latest authorizations; resume the card with `acknowledge_fraud`, or replace it.',
  },
  original_not_found: {
    meaning: 'An increment names a transaction that is not known here.',
    remedy: 'The merchant sends a new authorization.',
  },
  original_expired: {
    meaning: 'An increment came after the hold of its transaction ended.',
    remedy: 'The merchant sends a new authorization.',
  },
  original_reversed: {
    meaning: 'The reversal of this authorization came before the authorization itself.',
    remedy: 'Nothing is to be done: the network withdrew the request.',
  },
  invalid_amount: {
    meaning:
      'The amount is not the exact amount of a single-use control, or too large to be counted with what is held already.',
    remedy: 'The merchant asks for the exact amount, or you change `single_use` of the control.',
  },
  limit_per_authorization: {
    meaning: 'The amount, with its increments, exceeds a limit per authorization.',
    remedy: 'Read the limit that `decline_detail` names; raise it, or the merchant asks for less.',
  },
  limit_daily: {
    meaning: 'The amount exceeds what is left of a daily limit.',
    remedy: 'Wait for `resets_at` of the limit that `decline_detail` names, or raise it.',
  },
  limit_weekly: {
    meaning: 'The amount exceeds what is left of a weekly limit.',
    remedy: 'Wait for `resets_at` of the limit that `decline_detail` names, or raise it.',
  },
  limit_monthly: {
    meaning: 'The amount exceeds what is left of a monthly limit.',
    remedy: 'Wait for `resets_at` of the limit that `decline_detail` names, or raise it.',
  },
  limit_yearly: {
    meaning: 'The amount exceeds what is left of a yearly limit.',
    remedy: 'Wait for `resets_at` of the limit that `decline_detail` names, or raise it.',
  },
  limit_rolling: {
    meaning: 'The amount exceeds what is left of a limit over the last seconds, hours or days.',
    remedy: 'Wait until older authorizations leave the window, or raise the limit.',
  },
  limit_count: {
    meaning: 'A limit of the number of authorizations is used up.',
    remedy: 'Wait for `resets_at` of the limit that `decline_detail` names, or raise its `count`.',
  },
  limit_all_time: {
    meaning: 'The amount exceeds what is left of a limit without an end.',
    remedy: 'Raise the limit that `decline_detail` names: it never resets.',
  },
  compliance_blocked: {
    meaning: 'A rule of law forbids the payment. The network reads `do_not_honor`.',
    remedy: 'Ask your contact. The merchant must not retry.',
  },
  stand_in_declined: {
    meaning: 'Your endpoint gave no answer, and your stand-in policy declines.',
    remedy: 'Read `webhook.outcome` of the decision; repair the endpoint, or change the policy.',
  },
  stand_in_limit_exceeded: {
    meaning: 'Your endpoint gave no answer, and a cap of your stand-in policy is used up.',
    remedy: 'Read `stand_in_detail.cap_id`; repair the endpoint, or raise the cap.',
  },
  network_stand_in_declined: {
    meaning: 'The network declined in our place and told it afterwards with an advice.',
    remedy: 'The code of the network is in `response_code`; nothing is held.',
  },
  duplicate_mismatch: {
    meaning: 'A message repeats the id of an earlier one with another content.',
    remedy: 'The network uses a new id. The first message and its answer stand.',
  },
  issuer_overloaded: {
    meaning: 'The decision came too late to be safe, and the service declined.',
    remedy: 'The merchant repeats the payment. Tell your contact if it stays.',
  },
}

/** Every decline reason, with those that a tenant may give. */
export const DECLINE_REFERENCE: Explained<DeclineReason> = {
  ...SERVICE_DECLINE_REFERENCE,
  ...TENANT_DECLINE_REFERENCE,
}
