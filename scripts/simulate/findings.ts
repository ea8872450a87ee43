// Notes of the differences that a story found. The story only notes; the runner derives from the
// notes whether it passed.
import { differences } from './differences.ts'

const MISMATCHES_MAX = 20

export class Findings {
  readonly #mismatches: string[] = []

  /** The differences so far. */
  get mismatches(): readonly string[] {
    return this.#mismatches
  }

  /** Notes every difference between the expected and the actual value. */
  check(what: string, expected: unknown, actual: unknown): void {
    for (const difference of differences(expected, actual)) this.note(what + ': ' + difference)
  }

  /** Notes something that went wrong. */
  note(sentence: string): void {
    if (this.#mismatches.length < MISMATCHES_MAX) this.#mismatches.push(sentence)
  }
}
