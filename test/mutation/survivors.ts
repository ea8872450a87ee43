// Mutants that no test can catch, each with the reason why it is no bug. Short on purpose, read in
// review.
import { ALONE } from './survivors/alone.ts'
import type { Explained } from './survivors/explained.ts'
import { LINE } from './survivors/line.ts'
import { RULES } from './survivors/rules.ts'
import { STATE } from './survivors/state.ts'

export const EXPLAINED: readonly Explained[] = [...RULES, ...STATE, ...LINE, ...ALONE]
