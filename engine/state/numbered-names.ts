// Names that are kept as numbers of one byte, and found again by a snapshot of another version, whose numbers may be others.
import { assert } from '../../shared/assert.ts'

/** Numbers from 1 on: 0 says none. */
export function numbered<Name extends string>(names: readonly Name[]): ReadonlyMap<string, number> {
  return new Map(names.map((name, index) => [name, index + 1]))
}

/** The number of a name that has one. */
export function numberOf(numbers: ReadonlyMap<string, number>, name: string): number {
  const number = numbers.get(name)
  assert(number !== undefined, name + ' has no number')
  return number
}

/** By the number a snapshot used: the number in use now. A name that is gone is our mistake: names are only ever added. */
export function renumbered(
  names: readonly string[],
  numbers: ReadonlyMap<string, number>,
): number[] {
  return [0, ...names.map((name) => numberOf(numbers, name))]
}
