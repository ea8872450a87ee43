// Mutants that no test can catch, each with the reason why it is no bug. Short on purpose, read in review.

export interface Explained {
  path: string
  /** The changed line as it stands in the source, trimmed. */
  line: string
  before: string
  after: string
  reason: string
}

export const EXPLAINED: readonly Explained[] = []
