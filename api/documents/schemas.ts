// The validators' own schemas in the form of OpenAPI 3.1. A resource, and every export of
// shared/schemas with a capital name, becomes a referenced component; a constraint that JSON Schema
// 2020-12 cannot express goes into the description.
import { readdirSync } from 'node:fs'
import type { TSchema } from 'typebox'
import { pascal, type Schema } from './document.ts'
import { catalogOf, catalogSchema } from './value-catalogs.ts'
import { EVERYWHERE, WITHIN } from './vocabulary.ts'

const SCHEMAS = new URL('../../shared/schemas/', import.meta.url)

/** Names of schemas, by their text: two schemas with the same text are the same. */
const EXPORTED = await exportedNames()

export interface Components {
  readonly schemas: { [name: string]: Schema }
  /**
   * Returns the schema with references to every component in it. A field without a description has
   * the one of the same field of `like`, the resource that the operation answers with.
   */
  shown(schema: TSchema, like?: Schema): Schema
  /** Adds a component under this name. */
  add(name: string, schema: Schema): Schema
}

/** Drops the properties that a validator library keeps beside the keywords. */
export function plainData(schema: TSchema): Schema {
  return JSON.parse(JSON.stringify(schema))
}

/** Place of a schema: the field that holds it, and the schema of the same field elsewhere. */
interface Place {
  readonly holder: string | undefined
  readonly like: Schema | undefined
}

/** Collects components while operations are written. */
export function createComponents(): Components {
  const schemas: { [name: string]: Schema } = {}
  const texts = new Map<string, string>()

  function shown(schema: Schema, place: Place): Schema {
    const catalog = catalogOf(schema.title)
    if (catalog !== undefined) {
      schemas[catalog.title] ??= catalogSchema(catalog)
      return reference(catalog.title)
    }
    const name = nameOf(schema)
    if (name === null) return plain(schema, place)
    const text = JSON.stringify(schema)
    if (texts.get(name) === undefined) {
      texts.set(name, text)
      schemas[name] = {}
      schemas[name] = plain(schema, place)
    }
    // A different shape of the same name is written inline, with the same description.
    return texts.get(name) === text ? reference(name) : plain(schema, place)
  }

  /** Shows a field: its own description stands beside a reference, not in the component. */
  function field(name: string, part: Schema, { holder, like }: Place): Schema {
    const { description, ...schema } = part
    const other = fieldOf(like, name)
    return described(
      shown(schema, { holder: name, like: other }),
      WITHIN[holder + '.' + name] ?? description ?? other?.description ?? EVERYWHERE[name],
    )
  }

  function plain(schema: Schema, place: Place): Schema {
    const inner = (part: Schema): Schema => shown(part, place)
    const written: Schema = { ...schema }
    if (schema.properties !== undefined) {
      written.properties = Object.fromEntries(
        Object.entries(schema.properties).map(([name, part]) => [name, field(name, part, place)]),
      )
    }
    if (schema.items !== undefined) written.items = inner(schema.items)
    if (schema.anyOf !== undefined)
      return nullable(
        written,
        schema.anyOf.map((part) => inner(part)),
      )
    if (schema.patternProperties !== undefined) asMap(written, schema.patternProperties, inner)
    if (schema.enum !== undefined && schema.type === undefined) written.type = typeOf(schema.enum)
    return written
  }

  return {
    schemas,
    shown: (schema, like) => shown(plainData(schema), { holder: undefined, like }),
    add: (name, schema) => {
      schemas[name] = schema
      return reference(name)
    },
  }
}

/** Returns the field of a resource, of an item of its list, or of the form it has beside null. */
function fieldOf(schema: Schema | undefined, name: string): Schema | undefined {
  if (schema === undefined) return undefined
  if (isPage(schema)) return fieldOf(schema.properties?.['data']?.items, name)
  if (schema.properties !== undefined) return schema.properties[name]
  if (schema.items !== undefined) return fieldOf(schema.items, name)
  return schema.anyOf?.map((part) => fieldOf(part, name)).find((part) => part !== undefined)
}

export function reference(name: string): Schema {
  return { $ref: '#/components/schemas/' + name }
}

/** OpenAPI 3.1 allows a description beside a reference. */
function described(schema: Schema, description: string | undefined): Schema {
  return description === undefined || schema.description !== undefined
    ? schema
    : { ...schema, description }
}

/** `T or null` as a list of types when T has one, as clients expect. */
function nullable(written: Schema, options: Schema[]): Schema {
  const { anyOf: _, ...rest } = written
  const others = options.filter((option) => option.type !== 'null')
  const [only] = others
  const simple = others.length === 1 && options.length === 2 && typeof only?.type === 'string'
  if (!simple || only === undefined) return { ...rest, anyOf: options }
  const values = only.enum ?? (only.const === undefined ? undefined : [only.const])
  const { const: __, ...type } = only
  return {
    ...rest,
    ...type,
    type: [only.type as string, 'null'],
    ...(values === undefined ? {} : { enum: [...values, null] }),
  }
}

/** A record: any keys, or keys that match a pattern. */
function asMap(
  written: Schema,
  patterns: { [pattern: string]: Schema },
  inner: (part: Schema) => Schema,
): void {
  const [[pattern, value] = ['', {}]] = Object.entries(patterns)
  delete written.patternProperties
  written.additionalProperties = inner(value)
  if (pattern !== '^.*$') written.propertyNames = { pattern }
}

function typeOf(values: readonly unknown[]): string {
  return typeof values[0] === 'number' ? 'integer' : typeof values[0]
}

/** A resource is named by its `object`, a page by its resource. */
function nameOf(schema: Schema): string | null {
  if (schema.type !== 'object' || schema.properties === undefined) return null
  if (isPage(schema)) {
    const item = nameOf(schema.properties['data']?.items ?? {})
    return item === null ? null : item + 'List'
  }
  const kind = schema.properties['object']?.const
  if (typeof kind === 'string') return pascal(kind)
  return schema.title ?? EXPORTED.get(JSON.stringify(schema)) ?? null
}

/** Spec 2.1. */
export function isPage({ properties = {} }: Schema): boolean {
  return 'data' in properties && 'has_more' in properties && 'next_cursor' in properties
}

async function exportedNames(): Promise<ReadonlyMap<string, string>> {
  const names = new Map<string, string>()
  for (const file of readdirSync(SCHEMAS).sort()) {
    const exported: { [name: string]: unknown } = await import(new URL(file, SCHEMAS).href)
    for (const [name, value] of Object.entries(exported)) {
      if (/^[A-Z][a-z]/.test(name)) names.set(JSON.stringify(value), name)
    }
  }
  return names
}
