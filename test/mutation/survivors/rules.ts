// Mutants of the rules that no test can catch.
import type { Explained } from './explained.ts'

export const RULES: readonly Explained[] = [
  {
    path: 'engine/rules/ask-controls.ts',
    line: 'let rules = 0',
    before: '0',
    after: '1',
    reason: 'the first rule is walked through too, where no control asks anything under it: slower',
  },
  {
    path: 'engine/rules/not-stopped.ts',
    line: ': recordRow(notStopped, [NUMBER, VERSION, 0, judged.stoppedBy], trace),',
    before: '0',
    after: '1',
    reason:
      'only a card that is stopped has a row, and such a row is marked as a decline in any case',
  },
  {
    path: 'engine/rules/listed.ts',
    line: 'return low > 0 && code <= (pairs[low * 2 - 1] as number)',
    before: '>',
    after: '>=',
    reason: 'in front of the first range stands no number, and no code is below none',
  },
]
