// The explanation of a mutant that no test can catch: its place, and why it is no bug.

export interface Explained {
  path: string
  /** The changed line as it stands in the source, trimmed; several if one reason holds for them. */
  line: string | readonly string[]
  /** The line above it, if the file contains the line more than once. */
  above?: string
  before: string
  after: string
  /** Which of several equal texts on the line, from the left; absent: all. */
  nth?: number
  reason: string
}
