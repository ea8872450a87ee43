// Merchant categories of the newest declines, as their tenant sees them.
import type { Static } from 'typebox'
import { Type } from '../schema-builders.ts'
import { described } from './described.ts'
import { DECLINE_REASON_OR_NULL } from './explained.ts'

/** Declined transactions that are counted, the newest. */
export const DECLINES_COUNTED_MAX = 1000

const Category = Type.Object({
  mcc: described(Type.String(), 'Four digits, ISO 18245; empty where the network named none.'),
  declines: described(Type.Integer(), 'Declines at merchants of the category.'),
  reason: described(
    DECLINE_REASON_OR_NULL,
    'The most frequent reason among them; null where none is known.',
  ),
})

export const DeclineCategories = Type.Object({
  object: Type.Literal('decline_categories'),
  livemode: Type.Boolean(),
  declines: described(
    Type.Integer(),
    'Declined transactions that were counted: the newest, 1,000 at most.',
  ),
  since: described(
    Type.Union([Type.Integer(), Type.Null()]),
    'When the oldest of them was made, in Unix seconds; null without one.',
  ),
  categories: described(
    Type.Array(Category),
    'Categories of their merchants, the most frequent first.',
  ),
})
export type DeclineCategories = Static<typeof DeclineCategories>
