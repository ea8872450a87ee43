// Values made from a JSON Schema: some that it accepts, at its bounds and between them, and some
// that it should not.
import type { Random } from '../simulation/random.ts'

export interface Schema {
  // biome-ignore lint/suspicious/noExplicitAny: a schema is read here as it is written.
  [keyword: string]: any
}

type Fields = { [name: string]: unknown }

/** Texts by field name, where a pattern allows more than the field means. */
const BY_NAME: { readonly [name: string]: readonly string[] } = {
  currency: ['USD', 'EUR', 'JPY'],
  country: ['US', 'GB', 'DE'],
  time_zone: ['UTC', 'Europe/Berlin', 'America/New_York', 'Asia/Kathmandu'],
  mcc: ['5411', '5812', '7995'],
  email: ['ada@example.com', 'Ada+x@Sub.Example.org'],
  phone: ['+15035550100', '+4930123456'],
  pan: ['4111111111111111', '5555555555554444'],
  pin: ['4711', '903172'],
  date_of_birth: ['1986-12-09', '1999-02-28'],
  business_date: ['2026-11-20', '2026-11-19'],
  api_version: ['2026-11-20', '2026-12-01', '2025-01-01'],
  url: ['https://tenant.example/hook', 'http://127.0.0.1:9/hook', 'ftp://x', 'https://[::1]/'],
  cidrs: ['203.0.113.0/24', '10.0.0.0/8', '2001:db8::/32'],
  rate: ['1.25', '0.5'],
}

/** Texts as people write them, including people who mean harm. */
const WORDS = [
  'Ada',
  'Zoë Ångström',
  'ﷺ ﬁ 𝒳 👩‍👩‍👧',
  'e\u0301\u202e\u200b',
  '北京',
  '__proto__',
  'constructor',
  'toString',
  "'; drop table cards; --",
  '<script>alert(1)</script>',
  '{{7*7}}',
  '%00%s',
  ' lead and trail ',
  '../../etc/passwd',
]

const PATTERN_TEXTS = [
  ...WORDS,
  'USD',
  'US',
  '5411',
  '2026-11-20',
  '08:30',
  '23:59',
  'visa',
  'apple',
  '4242',
  'x-1',
  '+15035550100',
  'a@b.example',
  '10.0.0.0/8',
  '1.5',
]

/**
 * Values that no field of ours accepts. Numbers that JSON has no word for are written in `textOf`.
 */
const ODD: readonly unknown[] = [
  null,
  true,
  0,
  -1,
  1.5,
  2 ** 53 + 2,
  -(2 ** 53) - 2,
  '',
  '1',
  'true',
  'null',
  '\u0000',
  '\ud800',
  'x'.repeat(70_000),
  [],
  [[]],
  ['1'],
  {},
  { __proto__x: 1 },
  'RAW:1e400',
  'RAW:-0',
  'RAW:9007199254740993',
  'RAW:{"__proto__":{"admin":true}}',
  'RAW:{"constructor":{"prototype":{}}}',
]

const DEPTH = 2000
const DEEP = 'RAW:' + '['.repeat(DEPTH) + ']'.repeat(DEPTH)
const UNKNOWN_FIELDS = [
  'RAW__proto__',
  'constructor',
  'unknown',
  'Name',
  'name ',
  'tenant_id',
  'id',
]

export class Values {
  readonly #random: Random
  readonly #known: (name: string) => readonly string[]

  /** `known` names ids for a field, if there are any. */
  constructor(random: Random, known: (name: string) => readonly string[]) {
    this.#random = random
    this.#known = known
  }

  /**
   * A value the schema accepts; of optional fields each is there with the probability `optional`.
   */
  valid(schema: Schema, name = '', optional = 0.4): unknown {
    const random = this.#random
    if (schema['const'] !== undefined) return schema['const']
    if (schema['enum'] !== undefined) return random.pick(schema['enum'])
    const options = schema['anyOf'] ?? schema['oneOf']
    if (options !== undefined) return this.valid(random.pick(options), name, optional)
    const types: string[] = [schema['type']].flat()
    const type = types.length > 1 && random.chance(0.85) ? types[0] : random.pick(types)
    if (type === 'null') return null
    if (type === 'boolean') return random.chance(0.5)
    if (type === 'integer' || type === 'number') return this.#number(schema)
    if (type === 'array') return this.#list(schema, name, optional)
    if (type === 'object') return this.#fields(schema, optional)
    return this.#text(schema, name)
  }

  /** The body as text with one thing wrong or strange in it. */
  mutated(schema: Schema, body: Fields): string {
    const random = this.#random
    const change: Fields = structuredClone(body)
    const names = Object.keys(schema['properties'] ?? {})
    const name = names.length === 0 ? 'x' : random.pick(names)
    const kind = random.below(8)
    if (kind === 0) delete change[random.pick(Object.keys(change).concat(name))]
    else if (kind === 1) change[random.pick(UNKNOWN_FIELDS)] = random.pick(ODD)
    else if (kind === 2) change[name] = DEEP
    else if (kind === 3) return JSON.stringify(random.pick([[change], null, 'x', 7, [], true]))
    else if (kind === 4) this.#mutateWithin(change)
    else change[name] = random.pick(ODD)
    return textOf(change)
  }

  /** Changes something inside of a list or an object, where there is one. */
  #mutateWithin(change: Fields): void {
    const random = this.#random
    const inner = Object.values(change).filter(
      (value): value is Fields => typeof value === 'object' && value !== null,
    )
    const place = inner.length === 0 ? change : random.pick(inner)
    const keys = Object.keys(place)
    const key = keys.length === 0 || random.chance(0.3) ? '0' : random.pick(keys)
    const below = place[key]
    if (typeof below === 'object' && below !== null && random.chance(0.6))
      (below as Fields)[random.pick([...Object.keys(below), 'unknown'])] = random.pick(ODD)
    else place[key] = random.pick(ODD)
  }

  #number({ minimum = -1000, maximum = 2 ** 53 - 1 }: Schema): number {
    const random = this.#random
    const usual = Math.min(maximum, minimum + 1 + random.below(5000))
    return random.pick([minimum, maximum, usual, usual, usual])
  }

  #list(schema: Schema, name: string, optional: number): unknown[] {
    const { minItems = 0, maxItems = 3, uniqueItems = false } = schema
    const length = Math.max(minItems, this.#random.below(Math.min(maxItems, 3) + 1))
    const items = Array.from({ length }, () => this.valid(schema['items'] ?? {}, name, optional))
    if (!uniqueItems) return items
    return [...new Map(items.map((item) => [JSON.stringify(item), item])).values()]
  }

  #fields(schema: Schema, optional: number): Fields {
    const random = this.#random
    const { properties = {}, required = [], additionalProperties, propertyNames } = schema
    const made: [string, unknown][] = Object.entries<Schema>(properties)
      .filter(([name]) => required.includes(name) || random.chance(optional))
      .map(([name, field]) => [name, this.valid(field, name, optional)])
    const values =
      additionalProperties ?? Object.values<Schema>(schema['patternProperties'] ?? {})[0]
    if (typeof values === 'object' && random.chance(0.8)) {
      const key = this.#text(propertyNames ?? { maxLength: 40 }, 'key')
      made.push([key, this.valid(values, 'value', optional)])
    }
    if (made.length === 0 && schema['minProperties'] > 0)
      for (const [name, field] of Object.entries<Schema>(properties).slice(0, 1))
        made.push([name, this.valid(field, name, optional)])
    // An own property, even if its name is __proto__.
    return Object.fromEntries(made)
  }

  #text(schema: Schema, name: string): string {
    const random = this.#random
    const { minLength = 0, maxLength = 80, pattern, format } = schema
    const ids = this.#known(name)
    if (ids.length > 0 && random.chance(0.9)) return random.pick(ids)
    if (format !== undefined)
      return random.pick(['2026-11-20T12:00:00Z', '2026-12-24', '2027-01-01'])
    const fits = (text: string): boolean =>
      [...text].length >= minLength &&
      [...text].length <= maxLength &&
      (pattern === undefined || new RegExp(pattern, 'u').test(text))
    const named = (BY_NAME[name] ?? []).filter(fits)
    if (named.length > 0) return random.pick(named)
    const long = 'x'.repeat(Math.min(maxLength, 2000))
    const made = [...PATTERN_TEXTS, long, 'y'.repeat(minLength)].filter(fits)
    return made.length > 0 ? random.pick(made) : '0'.repeat(Math.max(1, minLength))
  }
}

/** JSON of a value in which `RAW:` marks JSON that JSON.stringify would not write. */
export function textOf(value: unknown): string {
  return JSON.stringify(value)
    .replace(/"RAW:((?:[^"\\]|\\.)*)"/g, (_whole, raw: string) => JSON.parse('"' + raw + '"'))
    .replaceAll('"RAW__proto__"', '"__proto__"')
}
