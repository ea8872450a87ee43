import { isUtf8 } from 'node:buffer'
import { isDeepStrictEqual } from 'node:util'
import { Ajv } from 'ajv'
import { test } from 'tap'
import { decode, decodeWire } from '../../engine/line/decode.ts'
import {
  type Arrival,
  type Line,
  type Message,
  type Refused,
  refusal,
} from '../../engine/line/line.ts'
import { readPlainMessage } from '../../engine/line/plain-message.ts'
import { repeatsKey } from '../../engine/line/repeated-key.ts'
import { formOf, placesOf } from '../../engine/plain-json/form.ts'
import { readPlain } from '../../engine/plain-json/read.ts'
import { Words } from '../../engine/plain-json/words.ts'
import { encodeId } from '../../shared/id.ts'
import { deriveKeys } from '../../shared/keyring.ts'
import { Type } from '../../shared/schema-builders.ts'
import { NetworkMessage } from '../../shared/schemas/network-message.ts'
import { fc } from '../harness/properties.ts'
import { type Schema, Values } from '../harness/schema-values.ts'
import { Random } from '../simulation/random.ts'

const SCHEMA: Schema = JSON.parse(JSON.stringify(NetworkMessage))
const derivation = deriveKeys(Buffer.alloc(32, 1), encodeId)
const line = { secrets: { derivation: () => derivation } } as unknown as Line
const arrival: Arrival = {
  receivedAtMs: Date.UTC(2026, 10, 20, 12),
  receivedNs: 0,
  networkKey: { id: 'nk_1', network: 'simnet', environment: 'sandbox', secret: 's' },
  reply: { send: () => {} },
}
const MESSAGE = {
  id: 'msg-1',
  kind: 'authorization',
  transmitted_at: '2026-11-20T12:00:00Z',
  network_transaction_id: 'ntx-1',
  card: { pan: '9999990000000000', exp_month: 12, exp_year: 2034, cvc: '123', pin: '4711' },
  amount_cents: 1000,
  currency: 'USD',
  merchant: { id: 'm-1', name: 'Shop', mcc: '5411', city: 'X', country: 'US' },
}
const BODY = JSON.stringify(MESSAGE)

/** The result of the reader of all JSON. */
function decodedTheLongWay(body: Buffer): Message | Refused {
  if (repeatsKey(body)) return refusal('invalid_json')
  if (!isUtf8(body)) return refusal('invalid_json', null, 'The body is not UTF-8.')
  try {
    return decodeWire(line, arrival, JSON.parse(body.toString()))
  } catch {
    return refusal('invalid_json')
  }
}

/** True if the text is read in one pass; throws if the two readers disagree. */
function isPlain(text: string | Buffer): boolean {
  const body = Buffer.from(text as string)
  const [short, long] = [decode(line, arrival, body), decodedTheLongWay(body)]
  if (!isDeepStrictEqual(short, long))
    throw new Error('two readings of ' + text + JSON.stringify([short, long]))
  const plain = readPlainMessage(body)
  if (plain === null) return false
  if (repeatsKey(body)) throw new Error('a key twice in ' + text)
  // An absent field is undefined in one result and missing in the other.
  if (!isDeepStrictEqual(JSON.parse(JSON.stringify(plain)), JSON.parse(body.toString())))
    throw new Error('another message than ' + text)
  return true
}

const seeds = fc.integer({ min: 1, max: 2 ** 31 - 1 })
/** Ordinary texts, which are read in one pass; some are not. */
const EVERYDAY: { readonly [field: string]: readonly string[] } = {
  id: ['msg-1', 'm 1'],
  transmitted_at: ['2026-11-20T12:00:00Z', '2026-11-20T11:59:59.123Z', 'today'],
  token: ['ctok_1'],
  name: ['Corner Grocery', 'Shop 4111 1111 1111 1111'],
  city: ['Portland', 'X', ''],
  provider: ['apple_pay'],
  transaction_type: ['purchase', 'cash_withdrawal', 'other'],
  entry_method: ['chip', 'stored_credential', 'mind'],
}
const messages = (random: Random) => new Values(random, (name) => EVERYDAY[name] ?? [])

/**
 * JSON of the value with its keys in any order and optional space; now and then a key twice, or an
 * escaped letter.
 */
function written(random: Random, value: unknown): string {
  const space = () => (random.chance(0.1) ? random.pick([' ', '\n', '\t', '\r', '  \r\n']) : '')
  if (typeof value !== 'object' || value === null) {
    const text = JSON.stringify(value)
    return random.chance(0.02)
      ? text.replace(/[a-z]/, (letter) => '\\u00' + letter.charCodeAt(0).toString(16))
      : text
  }
  const fields = Object.entries(value).sort(() => (random.chance(0.2) ? 1 : -1))
  if (random.chance(0.05) && fields.length > 0) fields.push(random.pick(fields))
  const parts = fields.map(
    ([key, one]) =>
      space() + JSON.stringify(key) + space() + ':' + space() + written(random, one) + space(),
  )
  return space() + '{' + parts.join(',') + '}' + space()
}

test('an ordinary message is read in one pass, with any of its fields', (t) => {
  const all = { plain: 0, other: 0 }
  fc.assert(
    fc.property(seeds, (seed) => {
      const random = new Random(seed)
      const message = messages(random).valid(SCHEMA, '', random.pick([0, 0.5, 1]))
      all[isPlain(JSON.stringify(message)) ? 'plain' : 'other'] += 1
    }),
    { numRuns: 600 },
  )
  t.ok(all.plain > 50 && all.other > 50, JSON.stringify(all))
  t.end()
})

test('no changed, broken or reordered message is read in two ways', (t) => {
  const all = { plain: 0, other: 0 }
  const count = (body: string | Buffer) => {
    all[isPlain(body) ? 'plain' : 'other'] += 1
  }
  fc.assert(
    fc.property(seeds, (seed) => {
      const random = new Random(seed)
      const message = random.chance(0.5) ? MESSAGE : messages(random).valid(SCHEMA)
      const body = written(random, message)
      count(body)
      count(messages(random).mutated(SCHEMA, message as { [name: string]: unknown }))
      const bytes = Buffer.from(body)
      for (let at = 0; at < 4; at++) {
        const other = Buffer.from(bytes)
        const place = random.below(other.length)
        other[place] = random.chance(0.5)
          ? random.below(256)
          : random.pick([...Buffer.from('"\\,:{}[]0e.- 9A')])
        count(other)
        count(Buffer.concat([bytes.subarray(0, place), other.subarray(place + random.below(3))]))
      }
      count(bytes.subarray(0, random.below(bytes.length)))
    }),
    { numRuns: 400 },
  )
  t.ok(all.plain > 300 && all.other > 1000, JSON.stringify(all))
  t.end()
})

const UNUSUAL: [what: string, from: string, into: string][] = [
  ['a number beyond all', '1000', '1e400'],
  ['an exponent', '1000', '1e3'],
  ['a fraction', '1000', '1000.0'],
  ['nothing below zero', '1000', '-0'],
  ['below zero', '1000', '-1'],
  ['a number that begins with 0', '1000', '01000'],
  ['two zeros', '1000', '00'],
  ['the greatest exact number', '1000', '9007199254740991'],
  ['one that is not exact', '1000', '9007199254740993'],
  ['no number', '1000', ''],
  ['digits as text', '1000', '"1000"'],
  ['digits that are none', '1000', '10:0'],
  ['an escape in a text', '"Shop"', '"\\u0053hop"'],
  ['an escape in a key', '"mcc"', '"\\u006dcc"'],
  ['another alphabet', '"Shop"', '"Büro"'],
  ['a control character', '"Shop"', '"Sh\u007fop"'],
  ['a tab in a text', '"Shop"', '"Sh\top"'],
  ['an unknown key', '{"id"', '{"x":1,"id"'],
  ['a prototype', '{"id"', '{"__proto__":{"kind":"x"},"id"'],
  ['a prototype of a card', '{"pan"', '{"__proto__":{"token":"x"},"pan"'],
  ['a key twice', '"currency":"USD"', '"currency":"USD","currency":"USD"'],
  ['a key of the merchant twice', '"mcc":"5411"', '"mcc":"5411","mcc":"5411"'],
  ['an unknown kind', '"authorization"', '"authorisation"'],
  ['a kind of another length', '"authorization"', '"authorizations"'],
  ['an empty key', '"mcc"', '""'],
  ['a missing key', '"mcc":"5411",', ''],
  ['a null', '"X"', 'null'],
  ['an object for a text', '"X"', '{}'],
  ['a list for an object', '{"id":"m-1"', '[{"id":"m-1"'],
  ['a comma too many', '"US"}', '"US",}'],
  ['a comma too few', '"mcc":"5411",', '"mcc":"5411"'],
  ['no colon', '"mcc":', '"mcc"'],
  ['another colon', '"mcc":', '"mcc";'],
  ['what no text ends', '"US"}}', '"US}}'],
  ['no key after a brace', '{"id":"msg-1"', '{id:"msg-1"'],
  ['a byte order mark', '{"id":"msg-1"', '\ufeff{"id":"msg-1"'],
  ['something behind it', '"US"}}', '"US"}}x'],
  ['a second message behind it', '"US"}}', '"US"}}{}'],
  ['a list of one message', '{"id":"msg-1"', '[{"id":"msg-1"'],
]

test('an unusual notation is left to the reader of all JSON', (t) => {
  t.ok(isPlain(BODY))
  for (const [what, from, into] of UNUSUAL) {
    const body = BODY.replace(from, into)
    t.not(body, BODY, what)
    t.notOk(isPlain(body), what)
  }
  for (const text of ['', ' ', '{', '{}', '"', 'null', '[]', BODY.slice(0, -1), BODY + '\0'])
    t.notOk(isPlain(text), text)
  t.ok(isPlain(' \t\r\n' + BODY.replaceAll(':', ' : ').replace('12 : 00 : 00', '12:00:00') + '\n'))
  t.ok(isPlain(BODY.replace('1000', '999999999999999')), 'fifteen digits')
  t.notOk(isPlain(BODY.replace('1000', '1000000000000000')), 'sixteen digits')
  t.ok(isPlain(BODY.replace('1000', '0')))
  t.end()
})

const FULL = {
  ...MESSAGE,
  kind: 'advice',
  is_repeat: true,
  original_network_transaction_id: 'ntx-0',
  billing: { amount_cents: 1, currency: 'EUR', rate: '1.5' },
  cashback_cents: 1,
  fee_cents: 2,
  transaction_type: 'purchase',
  entry_method: 'chip',
  fallback_from_chip: false,
  initiator: 'merchant',
  recurring: true,
  partial_approval_capable: true,
  final: false,
  advice: { approved: false, decided_by: 'sponsor_bank', response_code: '05' },
  wallet: { provider: 'apple_pay', token_id: 'w-1' },
  three_ds: { transaction_id: '3ds-1', claim: 'exempt' },
}

/** Values at the bounds of a field and beyond them. */
function valuesAround(schema: Schema): unknown[] {
  const { type, minimum, maximum, minLength = 1, maxLength = 20 } = schema
  if (type === 'integer') return [minimum - 1, minimum, minimum + 1, maximum, maximum + 1, 1.5]
  if (type === 'boolean') return [true, false, 'true', 0]
  if (type !== 'string')
    return [...(schema['enum'] ?? schema['anyOf'].map((one: Schema) => one['const'])), 'x']
  const lengths = [
    0,
    minLength - 1,
    minLength,
    2,
    3,
    4,
    5,
    11,
    12,
    13,
    19,
    20,
    maxLength,
    maxLength + 1,
  ]
  const runs = [...'09AZaz!~ /:@[`{'].flatMap((one) =>
    lengths.map((many) => one.repeat(Math.max(0, many))),
  )
  return [...runs, '0.1', '1.0123456789012', '1x', 'A0', 1]
}

/**
 * Messages in which one field, at any depth, has each of these values; the fields are those of the
 * schema.
 */
function* messagesAround(schema: Schema, full: object, path: string): Generator<[string, object]> {
  for (const [key, field] of Object.entries<Schema>(schema['properties'])) {
    const inner = (full as { [key: string]: unknown })[key]
    const here = path + '.' + key
    const { [key]: _, ...without } = full as { [key: string]: unknown }
    yield [here, without]
    const around =
      field['type'] === 'object'
        ? [...messagesAround(field, inner as object, here)].map(([, one]) => one)
        : valuesAround(field)
    for (const value of around) yield [here, { ...full, [key]: value }]
  }
}

test('every field of the schema is read in one pass within its bounds, and not beyond them', (t) => {
  t.same(Object.keys(FULL).sort(), Object.keys(NetworkMessage.properties).sort())
  const isValid = new Ajv({ strict: false }).compile(NetworkMessage)
  const counts = { valid: 0, other: 0 }
  for (const [path, message] of messagesAround(SCHEMA, FULL, '')) {
    const body = JSON.stringify(message)
    const expected = isValid(message) && !/\d{16}(?=[,}])/.test(body)
    counts[expected ? 'valid' : 'other'] += 1
    if (isPlain(body) !== expected) t.fail(path + ' ' + body)
  }
  t.ok(counts.valid > 500 && counts.other > 500, JSON.stringify(counts))
  t.end()
})

test('a schema beyond the abilities of a form stops the start', (t) => {
  const build = () => ({})
  const beyond = [
    Type.Object({ one: Type.String({ format: 'uri' }) }),
    Type.Object({ one: Type.Integer({ minimum: 0, maximum: 9, multipleOf: 3 }) }),
    Type.Object({ one: Type.Integer({ minimum: 0 }) }),
    Type.Object({ one: Type.Number() }),
    Type.Object({ one: Type.Array(Type.String()) }),
    Type.Object({ one: Type.Object({}) }),
    Type.Object({ one: Type.Boolean({ const: true }) }),
    Type.Object({ one: Type.Union([Type.Literal('a'), Type.Literal(1)]) }),
    Type.Object({ one: Type.Boolean() }, { additionalProperties: false }),
    Type.Object(
      Object.fromEntries(Array.from({ length: 31 }, (_, at) => ['k' + at, Type.Boolean()])),
    ),
  ]
  for (const schema of beyond) t.throws(() => formOf(schema, build), JSON.stringify(schema))
  const two = Type.Object({ a: Type.Optional(Type.String()), b: Type.Boolean() })
  t.same(placesOf(two), { a: 0, b: 1 })
  const form = formOf(two, (values) => [...values])
  t.same(readPlain(form, Buffer.from('{"b":true}')), [undefined, true])
  t.equal(readPlain(form, Buffer.from('{"a":""}')), null)
  t.end()
})

test('true and false are read only when spelt exactly', (t) => {
  const form = formOf(Type.Object({ a: Type.Boolean() }), ([a]) => a)
  const read = (text: string) => readPlain(form, Buffer.from('{"a":' + text + '}'))
  t.same([read('true'), read('false')], [true, false])
  for (const word of ['true', 'false'])
    for (const at of word.split('').keys())
      for (const letter of ['', 'x', '}'])
        t.equal(read(word.slice(0, at) + letter + word.slice(at + 1)), null)
  t.end()
})

test('every word is found at its place, and near misses are not', (t) => {
  const words = Array.from({ length: 200 }, (_, at) => 'word' + at)
  const all = new Words(words.map((word, at) => [word, at]))
  const guess = all.at(Buffer.from('word7"'), 0, null)
  for (const [at, word] of words.entries()) {
    const found = all.at(Buffer.from('"' + word + '"'), 1, at % 2 === 0 ? guess : null)
    if (found?.item !== at) t.fail(word)
    for (const text of [
      word,
      word + 'x"',
      'x' + word + '"',
      word.slice(0, -1) + '_"',
      word + '\'"',
    ])
      if (all.at(Buffer.from(text), 0, found) !== null) t.fail(text)
  }
  t.equal(new Words([]).at(Buffer.from('"'), 0, null), null)
  t.end()
})
