// The legal moves of a person. Operators make them; the specification lists no event for either.
import type { Person } from '../../../shared/schemas/person.ts'
import type { Move } from '../../write/move.ts'

export const PERSON_MOVES = {
  disable: { from: ['active'], to: 'disabled', event: null },
  enable: { from: ['disabled'], to: 'active', event: null },
} as const satisfies Record<string, Move<Person['status']>>
