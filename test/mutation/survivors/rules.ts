// Mutants of the rules that no test can catch.
import type { Explained } from './explained.ts'

export const RULES: readonly Explained[] = [
  {
    path: 'engine/rules/listed.ts',
    line: 'return low > 0 && code <= (pairs[low * 2 - 1] as number)',
    before: '>',
    after: '>=',
    reason: 'in front of the first range stands no number, and no code is below none',
  },
]
