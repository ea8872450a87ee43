// Text that people read.
import { Type } from '../schema-builders.ts'

const WORDS = '^(?=.*\\S)[^\\u0000-\\u001f\\u007f]*$'

/** One line that holds more than spaces. */
export function words(maxLength: number, description?: string): ReturnType<typeof Type.String> {
  return Type.String({
    minLength: 1,
    maxLength,
    pattern: WORDS,
    ...(description && { description }),
  })
}
