// The result of a cardholder's authentication in a 3DS transaction, as the issuer's access control
// server reports it.
import type { Static } from 'typebox'
import { Type } from '../schema-builders.ts'
import { described } from './described.ts'

export const AUTHENTICATION_RESULTS = ['authenticated', 'attempted', 'failed'] as const

export const Authentication = Type.Object({
  id: described(Type.String(), "The 3DS transaction's id."),
  object: Type.Literal('authentication'),
  created: Type.Integer(),
  livemode: Type.Boolean(),
  card_id: Type.String(),
  result: described(
    Type.Enum([...AUTHENTICATION_RESULTS]),
    "The result of the cardholder's authentication.",
  ),
  expires_at: described(Type.Integer(), 'Unix seconds from which the result no longer counts.'),
})
export type Authentication = Static<typeof Authentication>
