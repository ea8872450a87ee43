// A call that waits for a person's approval, as whoever made the call sees it.
import { type Static, Type } from 'typebox'

export const FactorChallenge = Type.Object({
  id: Type.String(),
  object: Type.Literal('factor_challenge'),
  created: Type.Integer(),
  livemode: Type.Boolean(),
  status: Type.Enum(['pending', 'completed']),
  /** The value of `Svc-Factor` for the repeated call; null while nobody has decided. */
  token: Type.Union([Type.String(), Type.Null()]),
  /** Unix seconds: until then somebody may decide, and afterwards the token may be used. */
  expires_at: Type.Integer(),
})
export type FactorChallenge = Static<typeof FactorChallenge>
