// A call that waits for a person's approval, as its caller sees it.
import { type Static, Type } from 'typebox'

export const FactorChallenge = Type.Object({
  id: Type.String(),
  object: Type.Literal('factor_challenge'),
  created: Type.Integer(),
  livemode: Type.Boolean(),
  status: Type.Enum(['pending', 'completed']),
  /** The value of `Svc-Factor` for the repeated call; null while nobody has decided. */
  token: Type.Union([Type.String(), Type.Null()]),
  /**
   * Unix seconds. Until then a person may decide and, after an approval, the caller may use the
   * token.
   */
  expires_at: Type.Integer(),
})
export type FactorChallenge = Static<typeof FactorChallenge>
