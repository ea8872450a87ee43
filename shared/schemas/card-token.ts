// A single-use token in place of a card's details: a publishable key makes it in a browser, a
// secret key uses it once. Spec 5.1.
import type { Static } from 'typebox'
import { CARD_BRANDS } from '../pan.ts'
import { Type } from '../schema-builders.ts'
import { described } from './described.ts'

/** Ten minutes: the time that a person takes to finish a form. */
export const CARD_TOKEN_TTL_MS = 10 * 60_000

/**
 * The details themselves. Nothing of them but the last four digits, brand and expiry is ever shown
 * again.
 */
export const CardDetails = Type.Object(
  {
    pan: described(Type.String({ pattern: '^[0-9]{12,19}$' }), 'The card’s number, digits only.'),
    exp_month: Type.Integer({ minimum: 1, maximum: 12 }),
    exp_year: Type.Integer({ minimum: 2000, maximum: 2099 }),
    cvc: described(
      Type.Optional(Type.String({ pattern: '^[0-9]{3,4}$' })),
      'The security code, three or four digits; kept nowhere.',
    ),
  },
  { additionalProperties: false },
)
export type CardDetails = Static<typeof CardDetails>

const FIELDS = {
  id: Type.String(),
  object: Type.Literal('token'),
  created: Type.Integer(),
  livemode: Type.Boolean(),
  expires_at: described(Type.Integer(), 'Unix seconds from which it is worth nothing.'),
  used_at: described(
    Type.Union([Type.Integer(), Type.Null()]),
    'Unix seconds; null while it is unused.',
  ),
  card: described(
    Type.Object({
      brand: described(Type.Enum([...CARD_BRANDS]), 'The card’s brand, derived from its number.'),
      last4: Type.String(),
      exp_month: Type.Integer(),
      exp_year: Type.Integer(),
    }),
    'The details of the card that may be shown.',
  ),
}

/** The token for its maker. Nothing in it tells whether we know the card. */
export const CardToken = Type.Object(FIELDS)
export type CardToken = Static<typeof CardToken>

/** As a secret key sees it. */
export const FoundCardToken = Type.Object({
  ...FIELDS,
  card_id: described(
    Type.Union([Type.String(), Type.Null()]),
    "The tenant's card with exactly these details, the CVC included where one was given; null where there is none.",
  ),
})
export type FoundCardToken = Static<typeof FoundCardToken>
