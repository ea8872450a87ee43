// The legal moves of a program. Spec 6.2. Only operators make them: a tenant neither activates nor
// resumes a program.
import type { ProgramState } from '../../../shared/schemas/program.ts'
import type { Move } from '../../write/move.ts'

// The specification lists no event for a rejection: the program was inactive before and stays
// inactive.
export const PROGRAM_MOVES = {
  activate: { from: ['pending', 'rejected'], to: 'active', event: 'program.activated' },
  reject: { from: ['pending'], to: 'rejected', event: null },
  suspend: { from: ['active'], to: 'suspended', event: 'program.suspended' },
  resume: { from: ['suspended'], to: 'active', event: 'program.resumed' },
} as const satisfies Record<string, Move<ProgramState>>
