// The answer schemas as the serializer takes them. For a union the serializer calls a validator
// field by field, and it renders untyped values through JSON: on a page of cards that takes longer
// than all the other writing.
import stringifier, { type AnySchema } from 'fast-json-stringify'

/**
 * Returns the function that writes an answer of this schema as JSON. The first answer compiles it:
 * all routes together would take a second of every start.
 */
export function answerWriter({ schema }: { schema: unknown }): (answer: unknown) => string {
  let write: ((answer: unknown) => string) | undefined
  return (answer) => {
    write ??= stringifier(quicklyWritten(schema) as AnySchema)
    return write(answer)
  }
}

/**
 * Returns an equivalent schema that the serializer writes without a validator: "something or null"
 * becomes a nullable something, and a choice of texts declares type text. Only for writing: no
 * validator reads the result.
 */
function quicklyWritten(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(quicklyWritten)
  if (typeof schema !== 'object' || schema === null) return schema
  const said: Profile = Object.fromEntries(
    Object.entries(schema).map(([name, inner]) => [name, quicklyWritten(inner)]),
  )
  return typed(withoutUnion(said))
}

interface Profile {
  readonly [keyword: string]: unknown
}

function withoutUnion(schema: Profile): Profile {
  const { anyOf: sides, ...rest } = schema
  if (!Array.isArray(sides) || sides.length !== 2) return schema
  const [something, other] = sides as [Profile, Profile]
  if (other['type'] !== 'null' || !('type' in something)) return schema
  // Inside a larger union a validator chooses the side, and it takes a list of values at its word.
  const values = something['enum']
  const choice = Array.isArray(values) ? { enum: [...values, null] } : {}
  return { ...rest, ...something, ...choice, nullable: true }
}

function typed(schema: Profile): Profile {
  const { enum: choice } = schema
  const texts = Array.isArray(choice) && choice.every((each) => typeof each === 'string')
  return texts ? { ...schema, type: 'string' } : schema
}
