// The messages that a card network sends and the answers it gets. The schema validates at the
// border and gives the static type behind it.
import type { Static } from 'typebox'
import { Type } from '../schema-builders.ts'
import { described } from './described.ts'

export const ENTRY_METHODS = [
  'chip',
  'contactless',
  'swipe',
  'manual',
  'online',
  'stored_credential',
  'ocr',
  'unknown',
] as const
export type EntryMethod = (typeof ENTRY_METHODS)[number]

/** Authorization requests are decided; notifications are recorded. Authorization 1 and 8. */
export const REQUEST_KINDS = [
  'authorization',
  'incremental',
  'account_verification',
  'balance_inquiry',
] as const
export const NOTIFICATION_KINDS = [
  'advice',
  'reversal',
  'capture',
  'refund',
  'capture_reversal',
  'refund_reversal',
] as const
export const MESSAGE_KINDS = [...REQUEST_KINDS, ...NOTIFICATION_KINDS] as const
export type MessageKind = (typeof MESSAGE_KINDS)[number]
export type NotificationKind = (typeof NOTIFICATION_KINDS)[number]

const NOTIFICATION_KIND_SET: ReadonlySet<string> = new Set(NOTIFICATION_KINDS)

/** True for a notification, false for an authorization request. */
export function isNotification(kind: MessageKind): kind is NotificationKind {
  return NOTIFICATION_KIND_SET.has(kind)
}

/** Types of a transaction; a value we do not know is kept as `unknown`. */
export const TRANSACTION_TYPES = [
  'purchase',
  'cash_withdrawal',
  'cash_advance',
  'quasi_cash',
  'refund',
  'account_funding',
  'original_credit',
  'bill_payment',
  'fuel_dispenser',
  'unknown',
] as const
/** `payment` belongs to the reserved network alone: no card network can send it. */
export type TransactionType = (typeof TRANSACTION_TYPES)[number] | 'payment'

/**
 * The network of payments between our own accounts. Its messages come over the control socket only,
 * so no network key may have this name.
 */
export const PAYMENTS_NETWORK = 'payments'

export const THREE_DS_CLAIMS = ['authenticated', 'attempted', 'failed', 'exempt'] as const
export type ThreeDsClaim = (typeof THREE_DS_CLAIMS)[number]

const Amount = Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER })
/** Printable ASCII; ids travel through logs and headers. */
const Identifier = Type.String({ minLength: 1, maxLength: 128, pattern: '^[\\x21-\\x7e]+$' })

/** The value in place of an unreadable PIN: it matches no card's. */
export const UNREADABLE_PIN = 'unreadable'

const NetworkCard = Type.Object({
  token: Type.Optional(Type.String({ minLength: 1, maxLength: 64 })),
  pan: Type.Optional(Type.String({ pattern: '^[0-9]{12,19}$' })),
  exp_month: Type.Optional(Type.Integer({ minimum: 1, maximum: 12 })),
  exp_year: Type.Optional(Type.Integer({ minimum: 2000, maximum: 9999 })),
  cvc: described(
    Type.Optional(Type.String({ pattern: '^[0-9]{3,4}$' })),
    'The code on the card; kept nowhere.',
  ),
  pin: described(
    Type.Optional(Type.String({ pattern: '^(?:[0-9]{4,12}|' + UNREADABLE_PIN + ')$' })),
    'As the PIN translation in front of us gives it, unreadable where it could not; verified at once and kept nowhere.',
  ),
})

const NetworkMerchant = Type.Object({
  id: Type.String({ minLength: 1, maxLength: 64 }),
  name: Type.String({ minLength: 1, maxLength: 128 }),
  mcc: Type.String({ pattern: '^[0-9]{4}$' }),
  city: Type.String({ maxLength: 128 }),
  country: Type.String({ pattern: '^[A-Z]{2}$' }),
})

const Currency = Type.String({ pattern: '^[A-Z]{3}$' })

/**
 * The amount in the cardholder's currency as the network converted it (ISO 8583 fields 6, 10 and
 * 51).
 */
const NetworkBilling = Type.Object({
  amount_cents: Amount,
  currency: Currency,
  rate: described(
    Type.Optional(Type.String({ pattern: '^[0-9]{1,12}(\\.[0-9]{1,12})?$' })),
    'Units of the card’s currency for one of the message’s, a decimal number as text.',
  ),
})

/** A decision that was made in our place. */
const NetworkAdvice = Type.Object({
  approved: Type.Boolean(),
  decided_by: described(
    Type.Optional(Type.Union([Type.Literal('network'), Type.Literal('sponsor_bank')])),
    'The party that decided in our place.',
  ),
  response_code: described(
    Type.Optional(Type.String({ pattern: '^[0-9A-Z]{2}$' })),
    'ISO 8583 field 39, for example 00.',
  ),
})

export const NetworkMessage = Type.Object({
  id: described(Identifier, 'The network’s own id of the message: the same again is a repeat.'),
  kind: described(Type.Enum([...MESSAGE_KINDS]), 'The kind of the message.'),
  transmitted_at: described(Type.String({ maxLength: 40 }), 'When the network sent it, ISO 8601.'),
  is_repeat: described(
    Type.Optional(Type.Boolean()),
    'The network sends it again, because it had no answer to the first.',
  ),
  network_transaction_id: described(Identifier, 'The network’s own id of the transaction.'),
  original_network_transaction_id: described(
    Type.Optional(Identifier),
    'The transaction this message is about, where it is not its own network_transaction_id.',
  ),
  card: NetworkCard,
  amount_cents: described(
    Amount,
    'The amount that is requested, added, reversed, captured or refunded, by kind; 0 for a verification or an inquiry.',
  ),
  currency: Currency,
  billing: described(
    Type.Optional(NetworkBilling),
    'The amount as the network converted it into the card’s currency.',
  ),
  cashback_cents: described(
    Type.Optional(Amount),
    'The part of the amount that is paid out in cash, in minor units; with the fee at most the amount.',
  ),
  fee_cents: described(
    Type.Optional(Amount),
    'The part of the amount that the terminal takes as a fee, in minor units; with the cashback at most the amount.',
  ),
  merchant: described(NetworkMerchant, 'Where the card is used.'),
  transaction_type: described(
    Type.Optional(Type.String({ maxLength: 64 })),
    'The type of the transaction: purchase, cash_withdrawal, quasi_cash and so on; others count as unknown.',
  ),
  entry_method: described(
    Type.Optional(Type.String({ maxLength: 64 })),
    'How the terminal got the card’s number: chip, contactless, swipe, manual, online and so on.',
  ),
  fallback_from_chip: described(
    Type.Optional(Type.Boolean()),
    'The terminal read the stripe because the chip would not be read.',
  ),
  initiator: described(
    Type.Optional(Type.Union([Type.Literal('cardholder'), Type.Literal('merchant')])),
    'The party that began it: the cardholder, or the merchant with stored details.',
  ),
  recurring: described(Type.Optional(Type.Boolean()), 'One of a series of payments.'),
  partial_approval_capable: described(
    Type.Optional(Type.Boolean()),
    'The terminal can take less than it asked for.',
  ),
  final: described(
    Type.Optional(Type.Boolean()),
    'For a capture: nothing more follows (the default). For an authorization: the amount will not change.',
  ),
  advice: described(Type.Optional(NetworkAdvice), 'With kind advice, and only there.'),
  wallet: described(
    Type.Optional(
      Type.Object({
        provider: described(
          Type.Optional(Type.String({ minLength: 1, maxLength: 32 })),
          'The provider of the wallet, for example apple_pay.',
        ),
        token_id: described(Identifier, 'The wallet token that stands for the card.'),
      }),
    ),
    'The wallet that the card was used from.',
  ),
  three_ds: described(
    Type.Optional(
      Type.Object({
        transaction_id: Type.Optional(Identifier),
        claim: described(Type.Enum([...THREE_DS_CLAIMS]), 'The result that the merchant claims.'),
      }),
    ),
    "The merchant's claim about a 3DS authentication.",
  ),
})
export type NetworkMessage = Static<typeof NetworkMessage>

/** Always HTTP 200 and always every key. */
export interface NetworkAnswer {
  message_id: string
  transaction_id: string | null
  approved: boolean
  approved_amount_cents: number
  /** ISO 8583 field 39. */
  response_code: string
  /** Six characters when approved, else null. */
  authorization_code: string | null
  decline_reason: string | null
  decided_by: string
  stand_in: boolean
  /** Only to a balance inquiry: minor units of the card's currency that could be spent now. */
  available_amount_cents?: number
}
