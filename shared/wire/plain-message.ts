// An everyday purchase by its cardholder.

/**
 * The fields of a MessageRecord that a plain purchase leaves at rest; a message of the first
 * release had none of them.
 */
export const PLAIN_MESSAGE = {
  transactionType: 'purchase',
  final: false,
  initiator: 'cardholder',
  recurring: false,
  fallbackFromChip: false,
  billingAmountCents: null,
  billingCurrency: null,
  billingRate: null,
  cashbackCents: 0,
  feeCents: 0,
  advice: null,
  walletProvider: null,
  walletTokenId: null,
  threeDsId: null,
  threeDsClaim: null,
  isRepeat: false,
  holdExpiresAtMs: null,
} as const
