// The legal moves of a program. Spec 6.2. All of them are the operators': a tenant neither activates nor resumes one.
import type { ProgramStanding } from '../../../shared/schemas/program.ts'
import type { Move } from '../../move.ts'

// The specification lists no event for a rejection: nothing was allowed before, and nothing is now.
export const PROGRAM_MOVES = {
  activate: { from: ['pending', 'rejected'], to: 'active', event: 'program.activated' },
  reject: { from: ['pending'], to: 'rejected', event: null },
  suspend: { from: ['active'], to: 'suspended', event: 'program.suspended' },
  resume: { from: ['suspended'], to: 'active', event: 'program.resumed' },
} as const satisfies Record<string, Move<ProgramStanding>>
