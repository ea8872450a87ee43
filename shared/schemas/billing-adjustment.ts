// Corrections of usage and credits that operators give.
import type { Static } from 'typebox'
import { Type } from '../schema-builders.ts'
import { described } from './described.ts'

export const UsageAdjustment = Type.Object({
  id: Type.String(),
  object: Type.Literal('usage_adjustment'),
  created: Type.Integer(),
  livemode: Type.Boolean(),
  month: described(Type.Integer(), 'Number of the month within the subscription.'),
  meter: described(
    Type.Enum([
      'authorizations',
      'cards_issued',
      'passes_issued',
      'physical_cards',
      'identity_checks',
    ]),
    'The counted thing.',
  ),
  quantity: described(Type.Integer(), 'Units that were added, or taken away where negative.'),
  corrected_quantity: described(Type.Integer(), 'Units of the stretch of terms afterwards.'),
  reason: described(Type.String(), 'The reason that the operator gave.'),
})
export type UsageAdjustment = Static<typeof UsageAdjustment>
