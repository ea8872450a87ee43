// Corrections of usage and credits that operators give.
import { type Static, Type } from 'typebox'

export const UsageAdjustment = Type.Object({
  id: Type.String(),
  object: Type.Literal('usage_adjustment'),
  created: Type.Integer(),
  livemode: Type.Boolean(),
  /** Number of the month within the subscription. */
  month: Type.Integer(),
  /** The counted thing. */
  meter: Type.Enum([
    'authorizations',
    'cards_issued',
    'passes_issued',
    'physical_cards',
    'identity_checks',
  ]),
  /** Units that were added, or taken away where negative. */
  quantity: Type.Integer(),
  /** Units of the stretch of terms afterwards. */
  corrected_quantity: Type.Integer(),
  /** The reason that the operator gave. */
  reason: Type.String(),
})
export type UsageAdjustment = Static<typeof UsageAdjustment>
