// Mutants of the line that no test can catch.
import type { Explained } from './explained.ts'

export const LINE: readonly Explained[] = [
  {
    path: 'engine/line/known-card.ts',
    line: 'for (let at = 0; at < found.owners.length; at++)',
    before: '<',
    after: '<=',
    reason: 'behind the last owner neither of the two has one, so they are the same there',
  },
  {
    path: 'engine/line/known-card.ts',
    line: ['utcDay: 0,', 'zoneDay: 0,'],
    before: '0',
    after: '1',
    reason: 'the days of windows that are not there yet are never compared',
  },
]
