// Error codes of payments and settling; the catalog of all codes takes them in.

export const PAYMENT_ERRORS = {
  amount_not_available: {
    status: 409,
    type: 'conflict',
    message: 'More would be withdrawn than stands on the account and nothing holds.',
  },
  amount_not_capturable: {
    status: 409,
    type: 'conflict',
    message: 'More would be captured than is left of the payment, or by a 65th capture.',
  },
  amount_not_refundable: {
    status: 409,
    type: 'conflict',
    message: 'More would be refunded than landed and was not refunded, or by a 65th refund.',
  },
  approval_expired: {
    status: 409,
    type: 'conflict',
    message: 'The holder’s approval has ended on the chain: nothing can be captured under it.',
  },
  payment_account_not_active: {
    status: 409,
    type: 'conflict',
    message: 'The payment account is not active: nothing is paid from it.',
  },
  settlement_account_not_usable: {
    status: 409,
    type: 'conflict',
    message: 'The settlement account is not usable: nothing is paid to it.',
  },
  passkey_in_use: {
    status: 409,
    type: 'conflict',
    message: 'This passkey commands another payment account. Enrol a new one.',
  },
  address_refused: {
    status: 400,
    type: 'invalid_request',
    message: 'Money cannot be sent to this address.',
  },
  assertion_invalid: {
    status: 400,
    type: 'invalid_request',
    message: 'The passkey’s assertion does not approve this; reason says why.',
  },
  chain_not_configured: {
    status: 503,
    type: 'unavailable',
    message: 'This environment has no chain: payments are not available.',
  },
} as const
