// The meaning and the remedy of the reasons for which payments do not settle and payment accounts
// are suspended, for the reference.
import type { ValueExplanation } from './value-explanation.ts'

const TRY_AGAIN = 'Ask your contact: an operator tries it again or cancels it.'

/**
 * The codes of a failed capture, refund, settlement batch or withdrawal that the service itself
 * gives; an error of the contract stands there by its name.
 */
export const SETTLEMENT_FAILURE_REFERENCE = {
  amount_not_available: {
    meaning: 'The account holds less than the withdrawal asks for.',
    remedy: 'Read `balance_cents` and ask for less, or wait until payments have settled.',
  },
  amount_not_allowed: {
    meaning: 'The chain refused the amount: it exceeds what the holder approved, or was captured.',
    remedy: 'Compare the sums of the payment, and ask your contact where they agree.',
  },
  approval_mismatch: {
    meaning: 'The terms of the payment are not those that the holder approved.',
    remedy: TRY_AGAIN,
  },
  assertion_missing: {
    meaning: 'No signature of the holder’s passkey is stored.',
    remedy: 'Let the holder approve another payment or withdrawal.',
  },
  invalid_assertion: {
    meaning: 'The chain does not accept the signature of the holder’s passkey.',
    remedy: 'Let the holder approve another payment.',
  },
  expired: {
    meaning: 'The approval of the holder ran out before the capture landed.',
    remedy: 'Make another payment, and capture it earlier.',
  },
  wrong_payee: {
    meaning: 'The holder approved a payment to another address.',
    remedy: 'Make another payment to the settlement account.',
  },
  batch_empty: {
    meaning: 'The batch had no capture and no refund left.',
    remedy: 'Nothing is to be done: it moved no money.',
  },
  bit_missing: {
    meaning: 'The service gave a capture or refund of the batch no place under its approval.',
    remedy: TRY_AGAIN,
  },
  refunds_exhausted: {
    meaning: 'The approval has had all its refunds, 64: no further one can be sent.',
    remedy: 'Ask your contact for the refund.',
  },
  already_landed: {
    meaning: 'This capture or refund landed before.',
    remedy: 'Nothing is to be done: it moved its money once.',
  },
  invalid_index: {
    meaning: 'The approval has had all its captures or refunds, 64 of each.',
    remedy: 'Make another payment; ask your contact for a refund beyond.',
  },
  transfer_failed: {
    meaning: 'The token did not move: the account holds too little, or an address is blocked.',
    remedy: 'Let the holder fund the account, or change the blocked address.',
  },
  nothing_landed: {
    meaning: 'No part of the batch could land.',
    remedy: 'Read the failure of each capture and refund.',
  },
  reverted: {
    meaning: 'The chain undid the transaction.',
    remedy: TRY_AGAIN,
  },
  cancelled: {
    meaning: 'An operator cancelled it.',
    remedy: 'Ask for it again where it is still wanted.',
  },
} as const satisfies { readonly [code: string]: ValueExplanation }

/** A code that the service itself gives. */
export type SettlementFailureCode = keyof typeof SETTLEMENT_FAILURE_REFERENCE

/** The reasons that the service writes into `suspend_reason` of a payment account. */
export const PAYMENT_ACCOUNT_SUSPEND_REFERENCE = {
  requested: {
    meaning: 'The account was suspended by a call that named no reason.',
    remedy: 'Call `POST /v1/payment_accounts/{id}/resume`.',
  },
  ledger_apart: {
    meaning: 'The account holds another amount on the chain than our ledger says.',
    remedy: 'Ask your contact: the account is resumed once the difference is explained.',
  },
} as const satisfies { readonly [reason: string]: ValueExplanation }

/** Why a subscription has a status in which something does not work. */
export const BILLING_REASON_REFERENCE = {
  trial_ended: {
    meaning: 'The trial ended without a plan that can be paid.',
    remedy: 'Add a payment method and choose a plan with `POST /v1/billing/subscription`.',
  },
  payment_overdue: {
    meaning: 'An invoice is open past its due date.',
    remedy: 'Pay it, or replace the payment method. The status follows the payment by itself.',
  },
  uncollectible: {
    meaning: 'An invoice was not paid for 60 days, and the subscription ended.',
    remedy: 'Pay the invoice, or choose a plan with `POST /v1/billing/subscription`.',
  },
  requested: {
    meaning: 'You cancelled the subscription.',
    remedy: 'Choose a plan with `POST /v1/billing/subscription`.',
  },
  overridden: {
    meaning: 'An operator set the status for a while.',
    remedy: 'Ask your contact. The override ends by itself.',
  },
} as const satisfies { readonly [reason: string]: ValueExplanation }
