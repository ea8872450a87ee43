// A call that waits for a person's approval, as its caller sees it.
import type { Static } from 'typebox'
import { Type } from '../schema-builders.ts'
import { described } from './described.ts'

export const FactorChallenge = Type.Object({
  id: Type.String(),
  object: Type.Literal('factor_challenge'),
  created: Type.Integer(),
  livemode: Type.Boolean(),
  status: Type.Enum(['pending', 'completed']),
  token: described(
    Type.Union([Type.String(), Type.Null()]),
    'The value of Svc-Factor for the repeated call; null while nobody has decided.',
  ),
  expires_at: described(
    Type.Integer(),
    'Unix seconds. Until then a person may decide and, after an approval, the caller may use the token.',
  ),
})
export type FactorChallenge = Static<typeof FactorChallenge>
