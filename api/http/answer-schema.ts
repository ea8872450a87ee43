// The answer schemas as the serializer takes them. For a union the serializer calls a validator
// field by field, and it renders untyped values through JSON: on a page of cards that takes longer
// than all the other writing.

/**
 * Returns an equivalent schema that the serializer writes without a validator: "something or null"
 * becomes a nullable something, and a choice of texts declares type text. Only for writing: no
 * validator reads the result.
 */
export function quicklyWritten(schema: unknown): unknown {
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
  return { ...rest, ...something, nullable: true }
}

function typed(schema: Profile): Profile {
  const { enum: choice } = schema
  const texts = Array.isArray(choice) && choice.every((each) => typeof each === 'string')
  return texts ? { ...schema, type: 'string' } : schema
}
