// Mutants that no test can catch, each with the reason why it is no bug. Short on purpose, read in review.

export interface Explained {
  path: string
  /** The changed line as it stands in the source, trimmed. */
  line: string
  before: string
  after: string
  reason: string
}

export const EXPLAINED: readonly Explained[] = [
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
