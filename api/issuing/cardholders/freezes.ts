// The parties that keep a cardholder frozen. Several may at once; lifting one freeze leaves the
// others.
import { FREEZERS } from '../../../shared/schemas/cardholder.ts'
import type { Freezer } from './states.ts'
import type { Freeze } from './view.ts'

/**
 * Adds one freeze, the strongest first. A party that already froze the cardholder keeps its first
 * reason.
 */
export function withFreeze(held: readonly Freeze[], freeze: Freeze): readonly Freeze[] {
  if (held.some(({ by }) => by === freeze.by)) return held
  return [...held, freeze].sort((one, other) => strength(other.by) - strength(one.by))
}

export function withoutFreeze(held: readonly Freeze[], by: Freezer): readonly Freeze[] {
  return held.filter((freeze) => freeze.by !== by)
}

function strength(by: Freezer): number {
  return FREEZERS.indexOf(by)
}
