// Examples made from schemas: they show the form of a call and of its answer, with invented values,
// and fit their schemas.

import type { OpenApiDocument, Schema } from './document.ts'
import { EXAMPLE_SECONDS, exampleIdOf } from './example-ids.ts'
import { FROM_SCHEMA, RESULTS } from './example-results.ts'
import { EXAMPLES, LEFT_OUT, SENT } from './example-values.ts'

type Schemas = OpenApiDocument['components']['schemas']

interface ExampleOptions {
  /** True for a request: optional fields are shown if the values say so. */
  sent: boolean
  /** The operation that it is sent to. */
  operation?: string
}

/** A value of the schema. */
export function exampleOf(
  schema: Schema,
  schemas: Schemas,
  { sent, operation = '' }: ExampleOptions,
): unknown {
  const place = { schemas, sent, operation, field: '', holder: '', kind: null, path: operation }
  return valueFor(schema, place)
}

interface Place {
  schemas: Schemas
  sent: boolean
  operation: string
  field: string
  /** The field that holds this object, and the value of `object` in it. */
  holder: string
  kind: string | null
  path: string
}

function valueFor(schema: Schema, place: Place): unknown {
  const resolved = resolve(schema, place.schemas)
  if (resolved.const !== undefined) return resolved.const
  const given = place.sent || !RESULTS.has(place.path) ? nearest(place) : RESULTS.get(place.path)
  if (given !== undefined && given !== FROM_SCHEMA && fits(resolved, given, place.schemas))
    return given
  const option = resolved.anyOf?.find(({ type }) => type !== 'null')
  if (option !== undefined) return valueFor(option, place)
  const [first] = resolved.enum ?? []
  if (first !== undefined) return first
  const type = Array.isArray(resolved.type) ? resolved.type[0] : resolved.type
  if (type === 'object' || resolved.properties !== undefined) return objectOf(resolved, place)
  if (type === 'array') return listOf(resolved, place)
  return plainOf(type, resolved, place.field)
}

/** By operation, by the field that holds it, by the kind of its resource, by its name alone. */
function nearest({ operation, holder, field, kind }: Place): unknown {
  for (const place of [operation, holder, kind]) {
    const name = place + '.' + field
    if (Object.hasOwn(EXAMPLES, name)) return EXAMPLES[name]
  }
  return field === 'id' && kind !== null ? exampleIdOf(kind) : EXAMPLES[field]
}

/** Whether the value may stand where the schema is. */
function fits(schema: Schema, given: unknown, schemas: Schemas): boolean {
  const { type, enum: values, anyOf } = schema
  if (anyOf !== undefined)
    return anyOf.some((option) => fits(resolve(option, schemas), given, schemas))
  const types = [type ?? (schema.properties === undefined ? [] : 'object')].flat()
  if (types.length === 0) return values === undefined || values.includes(given)
  if (!types.includes(typeOf(given)) && !(types.includes('number') && typeOf(given) === 'integer'))
    return false
  if (values !== undefined && !values.includes(given)) return false
  const { pattern } = schema
  return (
    !(typeof given === 'string' && typeof pattern === 'string') ||
    new RegExp(pattern, 'u').test(given)
  )
}

function typeOf(given: unknown): string {
  if (given === null) return 'null'
  if (Array.isArray(given)) return 'array'
  if (typeof given === 'number') return Number.isInteger(given) ? 'integer' : 'number'
  return typeof given
}

function objectOf(schema: Schema, place: Place): object {
  const { properties = {}, required = [], minProperties, additionalProperties } = schema
  const names = Object.keys(properties)
  const kind = properties['object']?.const
  const inner = (name: string) => ({
    ...place,
    holder: place.field,
    kind: typeof kind === 'string' ? kind : null,
    field: name,
    path: place.path + '.' + name,
  })
  const needed = names.filter((name) => isShown(name, required, place))
  const atLeast = place.sent && needed.length === 0 && minProperties !== undefined
  const shown = atLeast ? names.slice(0, 1) : needed
  const entries = shown.map((name) => [name, valueFor(properties[name] ?? {}, inner(name))])
  if (names.length === 0 && typeof additionalProperties === 'object' && !place.sent)
    return exampleMap(additionalProperties, place)
  return Object.fromEntries(entries)
}

function isShown(name: string, required: readonly string[], place: Place): boolean {
  if (required.includes(name)) return true
  const own = place.holder === '' && place.field === '' ? place.operation : place.field
  if (!place.sent) return !LEFT_OUT.has(own + '.' + name) && !LEFT_OUT.has(name)
  return SENT.has(place.path + '.' + name)
}

/** A map shows one entry, or none where the table has no value. */
function exampleMap(values: Schema, place: Place): object {
  const example = valueFor(values, { ...place, field: place.field + '.*' })
  return example === 'text' ? {} : { [EXAMPLE_KEYS[place.field] ?? 'key']: example }
}

const EXAMPLE_KEYS: { readonly [field: string]: string } = {
  metadata: 'order',
  buckets: 'cards_write',
  inputs: 'limit',
  deleted: 'cards',
  values: 'points',
  localizations: 'de',
  dictionary: 'Points',
}

function listOf({ items = {}, minItems }: Schema, place: Place): unknown[] {
  if (place.sent && minItems === undefined && !SENT.has(place.path)) return []
  return [valueFor(items, place)]
}

/** Whole numbers with these names are Unix seconds. */
const MOMENTS = /(_at|^now|^first|^last|^since|^updated)$/
const MOMENT = '2026-11-20T12:00:00.000Z'
const DAY = '2026-11-20'

function plainOf(type: string | undefined, schema: Schema, field: string): unknown {
  const { minimum, pattern, format } = schema
  if (type === 'boolean') return true
  if (type === 'integer' && MOMENTS.test(field)) return EXAMPLE_SECONDS
  if (type === 'integer' || type === 'number') return typeof minimum === 'number' ? minimum : 0
  if (format === 'date-time') return MOMENT
  if (format === 'date') return DAY
  if (pattern === '^[A-Z]{3}$') return 'USD'
  if (pattern === '^[A-Z]{3}/[A-Z]{3}$') return 'EUR/USD'
  if (typeof pattern === 'string' && pattern.startsWith('^[0-9]{4}')) return '5411'
  if (type !== 'string') return null
  return /(_at|_start|due_by)$/.test(field) ? MOMENT : 'text'
}

/** The schema behind a reference, with the keywords beside the reference. */
export function resolve(schema: Schema, schemas: Schemas): Schema {
  if (schema.$ref === undefined) return schema
  const { $ref, ...beside } = schema
  return { ...schemas[$ref.slice($ref.lastIndexOf('/') + 1)], ...beside }
}

interface Content {
  content?: { [type: string]: { schema: Schema; example?: unknown } }
}

/** The document with an example for every body that is sent and every answer. */
export function addExamples(document: OpenApiDocument): OpenApiDocument {
  const { schemas } = document.components
  for (const item of Object.values(document.paths)) {
    for (const operation of Object.values(item)) {
      const id = operation['x-svc-alias-of'] ?? operation.operationId
      exemplify(operation.requestBody, (schema) =>
        exampleOf(schema, schemas, { sent: true, operation: id }),
      )
      for (const answer of Object.values(operation.responses) as Content[])
        exemplify(answer, (schema) => exampleOf(schema, schemas, { sent: false, operation: id }))
    }
  }
  return document
}

function exemplify(part: Content | undefined, example: (schema: Schema) => unknown): void {
  const json = part?.content?.['application/json']
  if (json !== undefined) json.example = example(json.schema)
}
