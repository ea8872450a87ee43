// The compiled form of an object schema for one pass over its bytes: its keys, and the allowed
// value of each. All of it comes from the schema, and a schema that no form can express stops the
// start.
import type { TSchema } from 'typebox'
import { assert } from '../../shared/assert.ts'
import { type Word, Words } from './words.ts'

/** Kinds of a key's value; a word is a text out of a list. */
export const TEXT = 0
export const WORD = 1
export const NUMBER = 2
export const TRUTH = 3
export const OBJECT = 4

/** Characters that JSON writes unchanged: printable ASCII without quote and backslash. */
const PLAIN = /[ !#-[\]-~]/
const BYTES = 256
/** One bit of a number per key. */
const KEYS_MAX = 30
/** Characters of one class, at least one or between two counts. */
const RUN = /^\^(\[[^\]]+\])(?:\+|\{(\d+)(?:,(\d+))?\})\$$/

export interface Field {
  readonly what: number
  /** Place of its value among those of the object, and the bit that marks it as seen. */
  readonly place: number
  readonly bit: number
  /** Minimum of a number, or of the characters of a text. */
  readonly min: number
  readonly max: number
  /** By byte: 1 if a text may hold it. */
  readonly allowed: Uint8Array
  /** Further pattern that a text must match. */
  readonly pattern: RegExp | null
  readonly words: Words<string>
  /** The last word at this key. */
  lastWord: Word<string> | null
  /** Set for an object only. */
  readonly form: Form | null
}

/** The values of one object by the places of their keys; undefined for an absent key. */
export type Values = readonly never[]

export interface Form {
  readonly fields: Words<Field>
  /**
   * The keys of the last object in their order: a program writes every object in the same order.
   */
  readonly lastKeys: (Word<Field> | null)[]
  readonly size: number
  /** Bits of the required keys. */
  readonly required: number
  /** Builds the object from these values. */
  readonly build: (values: Values) => unknown
}

type Properties = { readonly [key: string]: TSchema }
/** A schema of an object, optional or not. */
type ObjectOf<Keys extends Properties> = { readonly properties: Keys }

/** Returns the place of each key's value in an object. */
export function placesOf<Keys extends Properties>({
  properties,
}: ObjectOf<Keys>): { readonly [key in keyof Keys]: number } {
  const places = Object.keys(properties).map((key, place) => [key, place])
  return Object.fromEntries(places) as { readonly [key in keyof Keys]: number }
}

/** Returns the form of an object; `inner` holds the forms of its nested objects, by key. */
export function formOf(
  schema: ObjectOf<Properties>,
  build: Form['build'],
  inner: { readonly [key: string]: Form } = {},
): Form {
  const { properties, required = [], description: _, ...rest } = schema as unknown as Schema
  assert(rest.type === 'object' && Object.keys(rest).length === 1, 'an object and nothing more')
  const keys = Object.keys(properties)
  assert(keys.length <= KEYS_MAX, 'no more keys than bits')
  const fields = keys.map((key, place) => {
    const seat = { ...EMPTY, place, bit: 1 << place }
    return [key, fieldOf(properties[key] as Profile, seat, inner[key])] as const
  })
  return {
    fields: new Words(fields),
    lastKeys: new Array<Word<Field> | null>(keys.length).fill(null),
    size: keys.length,
    required: required.reduce((bits, key) => bits | (1 << keys.indexOf(key)), 0),
    build,
  }
}

/** The part of a schema that forms support; a description is for readers. */
interface Profile {
  readonly description?: string
  readonly type?: string
  readonly enum?: readonly string[]
  readonly anyOf?: readonly { const: string }[]
  readonly pattern?: string
  readonly minLength?: number
  readonly maxLength?: number
  readonly minimum?: number
  readonly maximum?: number
}

interface Schema {
  description?: string
  type: string
  properties: { readonly [key: string]: Profile }
  required?: readonly string[]
}

const EMPTY: Field = {
  what: TEXT,
  place: 0,
  bit: 0,
  min: 0,
  max: 0,
  allowed: bytesOf(PLAIN),
  pattern: null,
  words: new Words<string>([]),
  lastWord: null,
  form: null,
}

/** Every field has the same keys in the same order, so the pass sees one shape. */
function fieldOf(said: Profile, seat: Field, form: Form | undefined): Field {
  if (form !== undefined) return { ...seat, what: OBJECT, form }
  const { type, enum: listed, anyOf, description: _, ...rest } = said
  const words = listed ?? anyOf?.map((one) => one.const)
  if (words?.every((word) => typeof word === 'string')) {
    assert(Object.keys(rest).length === 0, 'a list of words and nothing more')
    return { ...seat, what: WORD, words: new Words(words.map((word) => [word, word])) }
  }
  if (type === 'boolean' && Object.keys(rest).length === 0) return { ...seat, what: TRUTH }
  if (type === 'integer') return numberOf(rest, seat)
  assert(type === 'string', 'a text, a number, true or false, or an object with a form')
  return textOf(rest, seat)
}

function numberOf({ minimum, maximum, ...rest }: Profile, seat: Field): Field {
  assert(minimum !== undefined && maximum !== undefined, 'a number between two others')
  assert(Object.keys(rest).length === 0, 'a number between two others and nothing more')
  return { ...seat, what: NUMBER, min: minimum, max: maximum }
}

function textOf({ minLength = 0, maxLength, pattern, ...rest }: Profile, seat: Field): Field {
  assert(Object.keys(rest).length === 0, 'a text with bounds and a pattern and nothing more')
  const text = { ...seat, min: minLength, max: maxLength ?? Number.MAX_SAFE_INTEGER }
  if (pattern === undefined) return text
  const run = RUN.exec(pattern)
  if (run === null) return { ...text, pattern: new RegExp(pattern, 'u') }
  const [, characters = '', least = '1', most = run[2]] = run
  return {
    ...text,
    allowed: bytesOf(new RegExp(characters, 'u')),
    min: Math.max(text.min, Number(least)),
    max: Math.min(text.max, most === undefined ? text.max : Number(most)),
  }
}

/** Returns the bytes that JSON writes unchanged and that are among these characters. */
function bytesOf(characters: RegExp): Uint8Array {
  return Uint8Array.from({ length: BYTES }, (_, byte) => {
    const text = String.fromCharCode(byte)
    return PLAIN.test(text) && characters.test(text) ? 1 : 0
  })
}
