// Compares a JSON Schema of the API with the one of a release: the differences that break a client.
// A client sends data by the released schema of a request, and reads data by that of an answer.
import type { Schema } from './document.ts'

/** The party that writes the data of a schema. */
export type Writer = 'client' | 'service'

/** Schemas by name, of the released document and of the present one. */
export interface Named {
  released: { readonly [name: string]: Schema }
  present: { readonly [name: string]: Schema }
}

export interface Compared {
  released: Schema
  present: Schema
}

/** Bounds that a change may only widen. */
const LOWER = ['minimum', 'minLength', 'minItems', 'minProperties'] as const
const UPPER = ['maximum', 'maxLength', 'maxItems', 'maxProperties'] as const
const COMPONENT = '#/components/schemas/'

/** Breaks in a sentence each, at the path `where`; empty if a client of the release goes on. */
export function schemaBreaks(
  named: Named,
  schemas: Compared,
  { where, writer }: { where: string; writer: Writer },
): string[] {
  return new SchemaComparison(named, writer).breaks(schemas, where)
}

class SchemaComparison {
  readonly #named: Named
  readonly #writer: Writer
  /** Pairs of names under comparison: a schema may contain itself. */
  readonly #open = new Set<string>()

  constructor(named: Named, writer: Writer) {
    this.#named = named
    this.#writer = writer
  }

  breaks({ released, present }: Compared, where: string): string[] {
    const pair = (released.$ref ?? '') + ' ' + (present.$ref ?? '')
    const isNamed = pair !== ' '
    if (isNamed && this.#open.has(pair)) return []
    if (isNamed) this.#open.add(pair)
    const one = alternativesOf(resolved(released, this.#named.released), this.#named.released)
    const other = alternativesOf(resolved(present, this.#named.present), this.#named.present)
    const found = this.#unions(one, other, where)
    if (isNamed) this.#open.delete(pair)
    return found
  }

  /** Each form that a client sends must be taken, and each that it gets must be a known one. */
  #unions(released: readonly Schema[], present: readonly Schema[], where: string): string[] {
    const [one, other] = [released[0], present[0]]
    if (released.length === 1 && present.length === 1 && one !== undefined && other !== undefined)
      return this.#plain({ released: one, present: other }, where)
    const [sent, known] = this.#writer === 'client' ? [released, present] : [present, released]
    const unknown = sent.filter(
      (form) =>
        !known.some((candidate) => {
          const pair =
            this.#writer === 'client'
              ? { released: form, present: candidate }
              : { released: candidate, present: form }
          return this.#plain(pair, where).length === 0
        }),
    )
    const verb = this.#writer === 'client' ? ' takes no longer ' : ' may now be '
    return unknown.map((form) => where + verb + nameOf(form))
  }

  #plain(schemas: Compared, where: string): string[] {
    const types = this.#types(schemas, where)
    if (types.length > 0) return types
    return this.#writer === 'client'
      ? [...this.#values(schemas, where), ...bounds(schemas, where), ...this.#parts(schemas, where)]
      : this.#parts(schemas, where)
  }

  #types({ released, present }: Compared, where: string): string[] {
    const [before, now] = [typesOf(released), typesOf(present)]
    const [written, read] = this.#writer === 'client' ? [before, now] : [now, before]
    const isRead = (type: string): boolean =>
      read.includes(type) || (type === 'integer' && read.includes('number'))
    const foreign = read.length === 0 ? [] : written.filter((type) => !isRead(type))
    if (foreign.length === 0 && (written.length > 0 || read.length === 0)) return []
    const text = (types: readonly string[]): string => types.join(' or ') || 'any type'
    return [where + ' was ' + text(before) + ' and is ' + text(now)]
  }

  /** New values of answers are no break: the introduction of the document announces them. */
  #values({ released, present }: Compared, where: string): string[] {
    const [before, now] = [valuesOf(released), valuesOf(present)]
    if (now === null) return []
    if (before === null) return [where + ' takes only some values now']
    return before
      .filter((value) => !now.includes(value))
      .map((value) => where + ' takes no longer ' + value)
  }

  #parts({ released, present }: Compared, where: string): string[] {
    const inner = (one: unknown, other: unknown, path: string): string[] =>
      isSchema(one) && isSchema(other) ? this.breaks({ released: one, present: other }, path) : []
    return [
      ...inner(released.items, present.items, where + '[]'),
      ...inner(released.additionalProperties, present.additionalProperties, where + '.*'),
      ...this.#fields({ released, present }, where),
    ]
  }

  #fields({ released, present }: Compared, where: string): string[] {
    const [before, now] = [released.properties ?? {}, present.properties ?? {}]
    const [had, has] = [released.required ?? [], present.required ?? []]
    const gone = Object.keys(before).filter((name) => !Object.hasOwn(now, name))
    // A field that is sent and no longer read is gone too, whether or not it is refused.
    const removed = gone.map((name) => where + '.' + name + ' is gone')
    const promised =
      this.#writer === 'client'
        ? has
            .filter((name) => !had.includes(name))
            .map((name) => where + '.' + name + ' is required')
        : had
            .filter((name) => !has.includes(name) && Object.hasOwn(now, name))
            .map((name) => where + '.' + name + ' may be absent')
    const changed = Object.entries(before).flatMap(([name, schema]) => {
      const present = Object.hasOwn(now, name) ? now[name] : undefined
      const path = where + '.' + name
      return present === undefined ? [] : this.breaks({ released: schema, present }, path)
    })
    return [...removed, ...promised, ...changed]
  }
}

function bounds({ released, present }: Compared, where: string): string[] {
  const tighter = (keyword: string, isTighter: (now: number, before: number) => boolean) => {
    const [before, now] = [released[keyword], present[keyword]]
    if (typeof now !== 'number') return []
    return typeof before !== 'number' || isTighter(now, before)
      ? [where + ' has ' + keyword + ' ' + now + ' now']
      : []
  }
  const form = (keyword: string): string[] =>
    present[keyword] !== undefined && present[keyword] !== released[keyword]
      ? [where + ' has another ' + keyword]
      : []
  return [
    ...LOWER.flatMap((keyword) => tighter(keyword, (now, before) => now > before)),
    ...UPPER.flatMap((keyword) => tighter(keyword, (now, before) => now < before)),
    ...['pattern', 'format', 'uniqueItems'].flatMap(form),
  ]
}

/** The schema itself: a name is looked up, and parts that all hold are put together. */
function resolved(schema: Schema, named: { readonly [name: string]: Schema }): Schema {
  if (schema.$ref !== undefined)
    return resolved(named[schema.$ref.slice(COMPONENT.length)] ?? {}, named)
  const { allOf, ...rest } = schema as Schema & { allOf?: Schema[] }
  if (allOf === undefined) return schema
  const parts = [...allOf, rest].map((part) => resolved(part, named))
  return {
    ...Object.assign({}, ...parts),
    properties: Object.assign({}, ...parts.map(({ properties }) => properties ?? {})),
    required: [...new Set(parts.flatMap(({ required }) => required ?? []))],
  }
}

/** The forms of a union, or the schema itself. */
function alternativesOf(schema: Schema, named: Named['released']): readonly Schema[] {
  if (schema.anyOf === undefined) return [schema]
  return schema.anyOf.flatMap((form) => alternativesOf(resolved(form, named), named))
}

function typesOf({ type, enum: values, const: value }: Schema): readonly string[] {
  if (type !== undefined) return Array.isArray(type) ? type : [type]
  const known = values ?? (value === undefined ? [] : [value])
  return [...new Set(known.map((one) => (one === null ? 'null' : typeof one)))]
}

function valuesOf({ enum: values, const: value }: Schema): readonly string[] | null {
  if (value !== undefined) return [JSON.stringify(value)]
  return values === undefined ? null : values.map((one) => JSON.stringify(one))
}

function nameOf(form: Schema): string {
  const values = valuesOf(form)
  return values === null ? typesOf(form).join(' or ') || 'another form' : values.join(' or ')
}

function isSchema(value: unknown): value is Schema {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
