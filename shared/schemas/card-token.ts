// A single-use token in place of a card's details: a publishable key makes it in a browser, a
// secret key uses it once. Spec 5.1.
import { type Static, Type } from 'typebox'
import { CARD_BRANDS } from '../pan.ts'

/** Ten minutes: the time that a person takes to finish a form. */
export const CARD_TOKEN_TTL_MS = 10 * 60_000

/**
 * The details themselves. Nothing of them but the last four digits, brand and expiry is ever shown
 * again.
 */
export const CardDetails = Type.Object(
  {
    /** The card’s number, digits only. */
    pan: Type.String({ pattern: '^[0-9]{12,19}$' }),
    exp_month: Type.Integer({ minimum: 1, maximum: 12 }),
    exp_year: Type.Integer({ minimum: 2000, maximum: 2099 }),
    /** The security code, three or four digits; kept nowhere. */
    cvc: Type.Optional(Type.String({ pattern: '^[0-9]{3,4}$' })),
  },
  { additionalProperties: false },
)
export type CardDetails = Static<typeof CardDetails>

const FIELDS = {
  id: Type.String(),
  object: Type.Literal('token'),
  created: Type.Integer(),
  livemode: Type.Boolean(),
  /** Unix seconds from which it is worth nothing. */
  expires_at: Type.Integer(),
  /** Unix seconds; null while it is unused. */
  used_at: Type.Union([Type.Integer(), Type.Null()]),
  /** The details of the card that may be shown. */
  card: Type.Object({
    /** The card’s brand, derived from its number. */
    brand: Type.Enum([...CARD_BRANDS]),
    last4: Type.String(),
    exp_month: Type.Integer(),
    exp_year: Type.Integer(),
  }),
}

/** The token for its maker. Nothing in it tells whether we know the card. */
export const CardToken = Type.Object(FIELDS)
export type CardToken = Static<typeof CardToken>

/** As a secret key sees it. */
export const FoundCardToken = Type.Object({
  ...FIELDS,
  /**
   * The tenant's card with exactly these details, the CVC included where one was given; null where
   * there is none.
   */
  card_id: Type.Union([Type.String(), Type.Null()]),
})
export type FoundCardToken = Static<typeof FoundCardToken>
