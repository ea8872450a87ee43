// The result of a cardholder's authentication in a 3DS transaction, as the issuer's access control
// server reports it.
import { type Static, Type } from 'typebox'

export const AUTHENTICATION_RESULTS = ['authenticated', 'attempted', 'failed'] as const

export const Authentication = Type.Object({
  /** The 3DS transaction's id. */
  id: Type.String(),
  object: Type.Literal('authentication'),
  created: Type.Integer(),
  livemode: Type.Boolean(),
  card_id: Type.String(),
  /** The result of the cardholder's authentication. */
  result: Type.Enum([...AUTHENTICATION_RESULTS]),
  /** Unix seconds from which the result no longer counts. */
  expires_at: Type.Integer(),
})
export type Authentication = Static<typeof Authentication>
