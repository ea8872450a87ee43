// Mutants of the lifecycle and the sums of a transaction that no test can catch.
import type { Explained } from './explained.ts'

export const LIFECYCLE: readonly Explained[] = [
  {
    path: 'engine/lifecycle/reverse.ts',
    line: 'const rest = approvedOf(standing) - reversed - expired - released - captured',
    before: '-',
    after: '+',
    nth: 2,
    reason:
      'what ran out is held again by an advice alone, and then the rest is what is held: either way that or the amount is given back',
  },
  {
    path: 'engine/lifecycle/reverse.ts',
    line: 'const rest = approvedOf(standing) - reversed - expired - released - captured',
    before: '-',
    after: '+',
    nth: 3,
    reason:
      'only the last capture releases, and behind it nothing is held that could be given back',
  },
  {
    path: 'shared/transaction-sums.ts',
    line: 'return held > 0 ? held : 0',
    before: '>',
    after: '>=',
    reason: 'they differ where nothing is held, and 0 is 0 either way',
  },
  {
    path: 'shared/transaction-sums.ts',
    line: 'return openHold(sums) + (kept > 0 ? kept : 0)',
    before: '>',
    after: '>=',
    reason: 'they differ where nothing was kept, and 0 is 0 either way',
  },
]
