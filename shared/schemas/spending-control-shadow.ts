// Versions of a spending control, and the verdicts of its drafts.
import type { Static } from 'typebox'
import { Type } from '../schema-builders.ts'
import { described } from './described.ts'
import { DECLINE_REASON } from './explained.ts'
import { CONTROL_STATES, CONTROL_TERMS } from './spending-control.ts'

export const SpendingControlVersion = Type.Object({
  object: Type.Literal('spending_control_version'),
  spending_control_id: described(Type.String(), 'The spending control.'),
  version: Type.Integer(),
  state: described(
    Type.Enum([...CONTROL_STATES]),
    'A draft only reports; an active control binds; a retired one does neither.',
  ),
  created: Type.Integer(),
  created_by: described(
    Type.Union([Type.String(), Type.Null()]),
    'The key that wrote it; null where no caller did.',
  ),
  ...CONTROL_TERMS.properties,
})
export type SpendingControlVersion = Static<typeof SpendingControlVersion>

/** How often drafts of a control would have approved and declined. */
export const SpendingControlShadow = Type.Object({
  object: Type.Literal('spending_control_shadow'),
  spending_control_id: Type.String(),
  would_approve: described(Type.Integer(), 'Authorizations that it would have let pass.'),
  would_decline: described(Type.Integer(), 'Authorizations that it would have declined.'),
  versions: described(
    Type.Array(
      Type.Object({
        version: Type.Integer(),
        would_approve: described(
          Type.Integer(),
          'Authorizations that this version would have let pass.',
        ),
        would_decline: described(
          Type.Integer(),
          'Authorizations that this version would have declined.',
        ),
        decline_reasons: described(
          Type.Array(Type.Object({ decline_reason: DECLINE_REASON, count: Type.Integer() })),
          'Why, and how often.',
        ),
        first: described(
          Type.Integer(),
          'Unix seconds of the first and the last authorization it judged.',
        ),
        last: described(Type.Integer(), 'Unix seconds of the last authorization it judged.'),
      }),
    ),
    'The same by version.',
  ),
})
export type SpendingControlShadow = Static<typeof SpendingControlShadow>
