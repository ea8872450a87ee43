// What a card network sends and gets back. The schema is the validator of the border and the static type behind it.
import { type Static, Type } from 'typebox'

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

const Amount = Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER })
/** Printable ASCII; ids travel through logs and headers. */
const Identifier = Type.String({ minLength: 1, maxLength: 128, pattern: '^[\\x21-\\x7e]+$' })

const NetworkCard = Type.Object({
  token: Type.Optional(Type.String({ minLength: 1, maxLength: 64 })),
  pan: Type.Optional(Type.String({ pattern: '^[0-9]{12,19}$' })),
  exp_month: Type.Optional(Type.Integer({ minimum: 1, maximum: 12 })),
  exp_year: Type.Optional(Type.Integer({ minimum: 2000, maximum: 9999 })),
  cvc: Type.Optional(Type.String({ pattern: '^[0-9]{3,4}$' })),
})

const NetworkMerchant = Type.Object({
  id: Type.String({ minLength: 1, maxLength: 64 }),
  name: Type.String({ minLength: 1, maxLength: 128 }),
  mcc: Type.String({ pattern: '^[0-9]{4}$' }),
  city: Type.String({ maxLength: 128 }),
  country: Type.String({ pattern: '^[A-Z]{2}$' }),
})

export const NetworkMessage = Type.Object({
  id: Identifier,
  kind: Type.Literal('authorization'),
  transmitted_at: Type.String({ maxLength: 40 }),
  network_transaction_id: Identifier,
  card: NetworkCard,
  amount_cents: Amount,
  currency: Type.String({ pattern: '^[A-Z]{3}$' }),
  merchant: NetworkMerchant,
  entry_method: Type.Optional(Type.String({ maxLength: 64 })),
  partial_approval_capable: Type.Optional(Type.Boolean()),
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
}
