// Passes that holders put into wallets and took out of them, by day, as their tenant sees them.
import type { Static } from 'typebox'
import { Type } from '../schema-builders.ts'
import { described } from './described.ts'

const CountOrNull = Type.Union([Type.Integer(), Type.Null()])

/** Most days of one answer. */
export const PASS_DAYS_MAX = 400

const Day = Type.Object({
  at: described(Type.Integer(), 'Begin of the day, in Unix seconds.'),
  installed: described(
    CountOrNull,
    'Passes that came into their first wallet; null for a day that began before the counts.',
  ),
  removed: described(
    CountOrNull,
    'Passes that left their last wallet; null for a day that began before the counts.',
  ),
})

export const PassStatistics = Type.Object({
  object: Type.Literal('pass_statistics'),
  livemode: Type.Boolean(),
  total: described(
    Type.Object({
      installed: described(Type.Integer(), 'Passes that came into their first wallet.'),
      removed: described(Type.Integer(), 'Passes that left their last wallet.'),
    }),
    'All days together.',
  ),
  days: described(
    Type.Array(Day),
    'Every day, oldest first; days begin at 00:00 UTC of your clock, and the last one runs.',
  ),
})
export type PassStatistics = Static<typeof PassStatistics>
