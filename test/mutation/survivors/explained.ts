// What is said of a mutant that no test can catch: where it is, and why it is no bug.

export interface Explained {
  path: string
  /**
   * The changed line as it stands in the source, trimmed; several where one reason holds for them.
   */
  line: string | readonly string[]
  /** The line above it, where the line stands in the file more than once. */
  above?: string
  before: string
  after: string
  /** Which of those that look alike on the line, from the left; absent: all. */
  nth?: number
  reason: string
}
