// What the issuer's access control server found out about a cardholder in a 3DS transaction.
import { type Static, Type } from 'typebox'

export const AUTHENTICATION_RESULTS = ['authenticated', 'attempted', 'failed'] as const

export const Authentication = Type.Object({
  /** The 3DS transaction's id. */
  id: Type.String(),
  object: Type.Literal('authentication'),
  created: Type.Integer(),
  livemode: Type.Boolean(),
  card_id: Type.String(),
  /** What the access control server found out about the cardholder. */
  result: Type.Enum([...AUTHENTICATION_RESULTS]),
  /** Unix seconds from which the result no longer counts. */
  expires_at: Type.Integer(),
})
export type Authentication = Static<typeof Authentication>
