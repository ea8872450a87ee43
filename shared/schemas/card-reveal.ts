// The way to show a card's number: a token, and its single exchange for the details.
import type { Static } from 'typebox'
import { Type } from '../schema-builders.ts'
import { described } from './described.ts'

export const REVEAL_FIELDS = ['pan', 'cvc', 'expiry'] as const
export type RevealField = (typeof REVEAL_FIELDS)[number]

/** Where a token is exchanged. */
export const CARD_REVEALS_PATH = '/v1/card_reveals'
/** Chosen: a minute, as long as a page takes to load; five at most. */
export const REVEAL_SECONDS_DEFAULT = 60
export const REVEAL_SECONDS_MAX = 300

export const CardRevealToken = Type.Object({
  id: described(Type.String(), "The card's."),
  object: Type.Literal('card_reveal_token'),
  created: Type.Integer(),
  livemode: Type.Boolean(),
  fields: described(
    Type.Array(Type.Enum([...REVEAL_FIELDS])),
    'The details that the token shows: number, security code, expiry.',
  ),
  token: described(Type.String(), 'Shown here and never again.'),
  expires_at: described(Type.Integer(), 'Unix seconds from which it is worth nothing.'),
  url: described(
    Type.Literal(CARD_REVEALS_PATH),
    'Path of this API to which the token is sent, in a body and without a key.',
  ),
})
export type CardRevealToken = Static<typeof CardRevealToken>

/** The requested details; the other fields are null. */
export const CardReveal = Type.Object({
  object: Type.Literal('card_reveal'),
  pan: described(
    Type.Union([Type.String(), Type.Null()]),
    'The card’s number, 16 digits; null where it was not asked for.',
  ),
  cvc: described(
    Type.Union([Type.String(), Type.Null()]),
    'The security code, three digits; null where it was not asked for.',
  ),
  exp_month: Type.Union([Type.Integer(), Type.Null()]),
  exp_year: Type.Union([Type.Integer(), Type.Null()]),
})
export type CardReveal = Static<typeof CardReveal>
