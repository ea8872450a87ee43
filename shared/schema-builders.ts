// Builders of JSON schemas. The types are those of typebox; its builders would come with hundreds
// of modules, which every process loads at its start, and schemas of ours need these few.
import type { Type as Builders, TProperties, TSchema } from 'typebox'

/** Marks a field that may be left out; validators do not see it. */
const OPTIONAL = '~optional'
/** The key of a record where no pattern is asked of it. */
const ANY_KEY = '^.*$'

interface StringSchema extends TSchema {
  pattern?: string
}

function optional(schema: TSchema): object {
  const copy = Object.defineProperties({}, Object.getOwnPropertyDescriptors(schema))
  return Object.defineProperty(copy, OPTIONAL, { value: true })
}

function object(properties: TProperties, options?: object): object {
  const names = Object.keys(properties)
  const required = names.filter((name) => !(OPTIONAL in (properties[name] ?? {})))
  return { type: 'object', ...(required.length > 0 && { required }), properties, ...options }
}

function partial({ properties }: { properties: TProperties }, options?: object): object {
  const entries = Object.entries(properties).map(([name, schema]) => [name, optional(schema)])
  return object(Object.fromEntries(entries), options)
}

function record({ pattern }: StringSchema, value: TSchema, options?: object): object {
  return { type: 'object', patternProperties: { [pattern ?? ANY_KEY]: value }, ...options }
}

const ofType = (type: string) => (options?: object) => ({ type, ...options })

type Used = 'Array' | 'Boolean' | 'Enum' | 'Integer' | 'Literal' | 'Null' | 'Number' | 'Object'
type UsedToo = 'Optional' | 'Partial' | 'Record' | 'String' | 'Union' | 'Unknown'

/** The builders, by typebox's names; their schemas are the same. */
export const Type = {
  Array: (items: TSchema, options?: object) => ({ type: 'array', items, ...options }),
  Boolean: ofType('boolean'),
  Enum: (values: readonly unknown[], options?: object) => ({ enum: values, ...options }),
  Integer: ofType('integer'),
  Literal: (value: unknown, options?: object) => ({
    ...{ type: typeof value, const: value },
    ...options,
  }),
  Null: ofType('null'),
  Number: ofType('number'),
  Object: object,
  Optional: optional,
  Partial: partial,
  Record: record,
  String: ofType('string'),
  Union: (anyOf: readonly TSchema[], options?: object) => ({ anyOf, ...options }),
  Unknown: (options?: object) => ({ ...options }),
} as unknown as Pick<typeof Builders, Used | UsedToo>
