// Names stored as numbers of one byte, and mapped again for a snapshot of another version, which
// may use other numbers.
import { assert } from '../../shared/assert.ts'

/** Numbers from 1 on; 0 means none. */
export function numbered<Name extends string>(names: readonly Name[]): ReadonlyMap<string, number> {
  return new Map(names.map((name, index) => [name, index + 1]))
}

/** Returns the number of a name that has one. */
export function numberOf(numbers: ReadonlyMap<string, number>, name: string): number {
  const number = numbers.get(name)
  assert(number !== undefined, name + ' has no number')
  return number
}

/**
 * Maps a snapshot's number to the current number. A missing name is our own bug: names are only
 * ever added.
 */
export function renumbered(
  names: readonly string[],
  numbers: ReadonlyMap<string, number>,
): number[] {
  return [0, ...names.map((name) => numberOf(numbers, name))]
}
